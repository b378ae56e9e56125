/**
 * CSodium: what Comlink uses of libsodium. The shim keeps its macros and unchecked pointers out of Swift: sizes are
 * constants here, every function answers 0 or -errno.
 *
 * All functions are [control] but for csodium_equal and csodium_zero, which allocate nothing and never fail. Any
 * thread, once csodium_start has answered 0 on one.
 */
#ifndef CSODIUM_H
#define CSODIUM_H

#include <stddef.h>
#include <stdint.h>

enum {
  CSODIUM_SEED_BYTES = 32,
  CSODIUM_PUBLIC_KEY_BYTES = 32,
  CSODIUM_SIGNATURE_BYTES = 64,
  CSODIUM_SHA256_BYTES = 32,
  CSODIUM_SHA512_BYTES = 64,
  CSODIUM_POINT_BYTES = 32,
  CSODIUM_SCALAR_BYTES = 32,
  CSODIUM_SEALED_BOX_EXTRA_BYTES = 48,
  CSODIUM_AEAD_KEY_BYTES = 32,
  CSODIUM_AEAD_EXTRA_BYTES = 40,
};

/** Once per process before all others; more often does no harm. 0 or -ENOSYS (no source of random numbers). */
int32_t csodium_start(void);

/** Memory for a secret: zeroed, between guard pages, not in core dumps, not swapped out where the limits allow it;
 *  NULL: none left. */
void *csodium_secret_create(size_t bytes);
/** Zeroes and frees it; NULL is allowed. */
void csodium_secret_destroy(void *secret);

/** Random octets from the system. */
void csodium_random(void *out, size_t bytes);
/** Zeroes in a way the compiler keeps. */
void csodium_zero(void *memory, size_t bytes);
/** 1: equal, 0: not; takes the same time whatever is in them. */
int32_t csodium_equal(const void *a, const void *b, size_t bytes);

/** SHA-256 and SHA-512 (FIPS 180-4) of one piece of memory;
 *  HMAC (RFC 2104) with either under a key of any length. */
void csodium_sha256(uint8_t out[32], const void *data, size_t bytes);
void csodium_sha512(uint8_t out[64], const void *data, size_t bytes);
void csodium_hmac_sha256(uint8_t out[32], const void *key, size_t key_bytes, const void *data, size_t bytes);
void csodium_hmac_sha512(uint8_t out[64], const void *key, size_t key_bytes, const void *data, size_t bytes);

/** Ed25519 (RFC 8032): the public key of a seed. 0 or -ENOMEM. */
int32_t csodium_sign_public_key(uint8_t public_key[32], const uint8_t seed[32]);
/** Signs; 0 or -ENOMEM. */
int32_t csodium_sign(uint8_t signature[64], const void *message, size_t bytes, const uint8_t seed[32]);
/** 0: the signature is that key's of this message; -EBADMSG: it is not. */
int32_t csodium_verify(const uint8_t signature[64], const void *message, size_t bytes, const uint8_t public_key[32]);

/** ristretto255 (RFC 9496 §4.3.4): a group element of 64 uniform octets. */
void csodium_point_from_hash(uint8_t point[32], const uint8_t hash[64]);
/** A random scalar that is not 0. */
void csodium_scalar_random(uint8_t scalar[32]);
/** scalar * point; -EBADMSG: not an element in canonical form, or the product is the neutral element. */
int32_t csodium_scalar_multiply(uint8_t product[32], const uint8_t scalar[32], const uint8_t point[32]);

/** Sealed box to the holder of an Ed25519 key (crypto_box_seal to the X25519 key that it is birationally equal to):
 *  box has bytes + CSODIUM_SEALED_BOX_EXTRA_BYTES. 0; -EBADMSG: not a point of the curve. */
int32_t csodium_seal(uint8_t *box, const void *message, size_t bytes, const uint8_t public_key[32]);
/** Opens it with the key's seed; message has box_bytes - CSODIUM_SEALED_BOX_EXTRA_BYTES. 0; -EBADMSG: not for this
 *  key, or damaged; -ENOMEM. */
int32_t csodium_open_seal(void *message, const uint8_t *box, size_t box_bytes, const uint8_t seed[32]);

/** XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha) under a random nonce, which stands before the ciphertext: box has bytes
 *  + CSODIUM_AEAD_EXTRA_BYTES. Context is authenticated and not part of the box. */
void csodium_aead_seal(uint8_t *box, const void *message, size_t bytes, const void *context, size_t context_bytes,
                       const uint8_t key[32]);
/** Opens it; 0 or -EBADMSG. */
int32_t csodium_aead_open(void *message, const uint8_t *box, size_t box_bytes, const void *context,
                          size_t context_bytes, const uint8_t key[32]);

#endif
