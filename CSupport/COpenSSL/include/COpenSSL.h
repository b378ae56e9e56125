/**
 * COpenSSL: AES-128 of libcrypto for SRTP, one key a handle, behind opaque handles; and P-256 for certificates.
 *
 * GCM is libcrypto's own mode (openssl/modes.h) over its own AES, chosen by the processor as EVP's GCM is: AES and
 * carry-less multiplication by instructions; without them AES in vectors (vpaes), which reads no table by secrets, and
 * GHASH by a table of 256 octets, as EVP's. Not used is EVP's door to GCM: nonce and tag pass it in lists of parameters
 * that are searched by name, which for a packet of 100 octets is two thirds of the work (callgrind, libcrypto 3.0.19:
 * 2840 instructions by EVP, 1160 here before the key stream was wiped;
 * side by side on an AMD EPYC 219 and 90 ns to seal, with caches swept by 8 MiB 1.6 and 1.2 us).
 * A packet costs one call to EVP, for all its AES, and no allocation.
 *
 * [control] any thread, may allocate   [loop] the thread that owns the handle; allocates nothing
 */
#ifndef COPENSSL_H
#define COPENSSL_H

#include <stddef.h>
#include <stdint.h>

typedef struct copenssl_gcm copenssl_gcm;

enum { COPENSSL_KEY_BYTES = 16, COPENSSL_NONCE_BYTES = 12, COPENSSL_TAG_BYTES = 16 };
enum { COPENSSL_P256_SCALAR_BYTES = 32, COPENSSL_P256_POINT_BYTES = 65, COPENSSL_P256_SIGNATURE_BYTES = 72 };

/** AES-128-GCM (NIST SP 800-38D) with a 16-octet tag. NULL and *error: -ENOMEM, -ENOSYS (libcrypto has no such cipher).
 *  [control] */
copenssl_gcm *copenssl_gcm_create(const uint8_t key[16], int32_t *error);
/** Zeroes the key; NULL is allowed. [control] */
void copenssl_gcm_destroy(copenssl_gcm *gcm);

/** Encrypts text in place and writes the tag. The caller sees to it that no nonce comes twice with a key. 0 or -EIO.
 *  [loop] */
int32_t copenssl_gcm_seal(copenssl_gcm *gcm, const uint8_t nonce[12], const uint8_t *associated, int32_t associated_bytes,
                          uint8_t *text, int32_t text_bytes, uint8_t tag[16]);
/** Decrypts text in place. 0; -EBADMSG: not authentic, and text is zeroed. [loop] */
int32_t copenssl_gcm_open(copenssl_gcm *gcm, const uint8_t nonce[12], const uint8_t *associated, int32_t associated_bytes,
                          uint8_t *text, int32_t text_bytes, const uint8_t tag[16]);

/** AES-128 in counter mode over zeros: a key stream from that first counter block on. 0, -EINVAL, -ENOMEM or -EIO.
 *  [control] */
int32_t copenssl_key_stream(const uint8_t key[16], const uint8_t counter[16], uint8_t *out, int32_t bytes);

/** The scalar of a P-256 key out of 64 random or derived octets: their number modulo n - 1, plus 1 (FIPS 186-5 A.2.1).
 *  0 or -ENOMEM. [control] */
int32_t copenssl_p256_scalar(const uint8_t octets[64], uint8_t scalar[COPENSSL_P256_SCALAR_BYTES]);
/** The public point of a scalar, uncompressed (SEC 1 §2.3.3). 0, -EINVAL (0, or n and more) or -ENOMEM. [control] */
int32_t copenssl_p256_point(const uint8_t scalar[COPENSSL_P256_SCALAR_BYTES], uint8_t point[COPENSSL_P256_POINT_BYTES]);
/** ECDSA of a SHA-256, with the nonce of RFC 6979 §3.2, as DER (RFC 3279 §2.2.3): the same digest has the same
 *  signature. Not for whoever may time it: not all of it takes the same time for all keys.
 *  Its length, -EINVAL or -ENOMEM. [control] */
int32_t copenssl_p256_sign(const uint8_t scalar[COPENSSL_P256_SCALAR_BYTES], const uint8_t digest[32],
                           uint8_t signature[COPENSSL_P256_SIGNATURE_BYTES]);

#endif
