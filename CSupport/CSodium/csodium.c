#include "CSodium.h"

#include <errno.h>
#include <sodium.h>

_Static_assert(CSODIUM_SEED_BYTES == crypto_sign_SEEDBYTES, "seed");
_Static_assert(CSODIUM_PUBLIC_KEY_BYTES == crypto_sign_PUBLICKEYBYTES, "public key");
_Static_assert(CSODIUM_SIGNATURE_BYTES == crypto_sign_BYTES, "signature");
_Static_assert(CSODIUM_SHA256_BYTES == crypto_hash_sha256_BYTES, "SHA-256");
_Static_assert(CSODIUM_SHA512_BYTES == crypto_hash_sha512_BYTES, "SHA-512");
_Static_assert(CSODIUM_POINT_BYTES == crypto_core_ristretto255_BYTES, "point");
_Static_assert(CSODIUM_SEALED_BOX_EXTRA_BYTES == crypto_box_SEALBYTES, "sealed box");
_Static_assert(CSODIUM_AEAD_KEY_BYTES == crypto_aead_xchacha20poly1305_ietf_KEYBYTES, "AEAD key");
_Static_assert(CSODIUM_AEAD_EXTRA_BYTES ==
                   crypto_aead_xchacha20poly1305_ietf_NPUBBYTES + crypto_aead_xchacha20poly1305_ietf_ABYTES,
               "AEAD");
_Static_assert(CSODIUM_SCALAR_BYTES == crypto_core_ristretto255_SCALARBYTES, "scalar");

int32_t csodium_start(void) { return sodium_init() < 0 ? -ENOSYS : 0; }

void *csodium_secret_create(size_t bytes) {
  void *secret = sodium_malloc(bytes);
  if (secret != NULL)
    sodium_memzero(secret, bytes);
  return secret;
}

void csodium_secret_destroy(void *secret) { sodium_free(secret); }

void csodium_random(void *out, size_t bytes) { randombytes_buf(out, bytes); }

void csodium_zero(void *memory, size_t bytes) { sodium_memzero(memory, bytes); }

int32_t csodium_equal(const void *a, const void *b, size_t bytes) {
  return sodium_memcmp(a, b, bytes) == 0;
}

void csodium_sha256(uint8_t out[32], const void *data, size_t bytes) {
  crypto_hash_sha256(out, data, bytes);
}

void csodium_sha512(uint8_t out[64], const void *data, size_t bytes) {
  crypto_hash_sha512(out, data, bytes);
}

void csodium_hmac_sha256(uint8_t out[32], const void *key, size_t key_bytes, const void *data,
                         size_t bytes) {
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, key, key_bytes);
  crypto_auth_hmacsha256_update(&state, data, bytes);
  crypto_auth_hmacsha256_final(&state, out);
  sodium_memzero(&state, sizeof state);
}

void csodium_hmac_sha512(uint8_t out[64], const void *key, size_t key_bytes, const void *data,
                         size_t bytes) {
  crypto_auth_hmacsha512_state state;
  crypto_auth_hmacsha512_init(&state, key, key_bytes);
  crypto_auth_hmacsha512_update(&state, data, bytes);
  crypto_auth_hmacsha512_final(&state, out);
  sodium_memzero(&state, sizeof state);
}

/* The 64 octets of libsodium's secret key live only here: the seed is what is kept. */
static int32_t expand(uint8_t public_key[32], uint8_t secret_key[64], const uint8_t seed[32]) {
  return crypto_sign_seed_keypair(public_key, secret_key, seed) == 0 ? 0 : -ENOMEM;
}

int32_t csodium_sign_public_key(uint8_t public_key[32], const uint8_t seed[32]) {
  uint8_t secret_key[crypto_sign_SECRETKEYBYTES];
  const int32_t result = expand(public_key, secret_key, seed);
  sodium_memzero(secret_key, sizeof secret_key);
  return result;
}

int32_t csodium_sign(uint8_t signature[64], const void *message, size_t bytes,
                     const uint8_t seed[32]) {
  uint8_t public_key[crypto_sign_PUBLICKEYBYTES], secret_key[crypto_sign_SECRETKEYBYTES];
  int32_t result = expand(public_key, secret_key, seed);
  if (result == 0 && crypto_sign_detached(signature, NULL, message, bytes, secret_key) != 0)
    result = -ENOMEM;
  sodium_memzero(secret_key, sizeof secret_key);
  return result;
}

int32_t csodium_verify(const uint8_t signature[64], const void *message, size_t bytes,
                       const uint8_t public_key[32]) {
  return crypto_sign_verify_detached(signature, message, bytes, public_key) == 0 ? 0 : -EBADMSG;
}

void csodium_point_from_hash(uint8_t point[32], const uint8_t hash[64]) {
  (void)crypto_core_ristretto255_from_hash(point, hash);
}

void csodium_scalar_random(uint8_t scalar[32]) { crypto_core_ristretto255_scalar_random(scalar); }

int32_t csodium_scalar_multiply(uint8_t product[32], const uint8_t scalar[32],
                                const uint8_t point[32]) {
  return crypto_scalarmult_ristretto255(product, scalar, point) == 0 ? 0 : -EBADMSG;
}

int32_t csodium_seal(uint8_t *box, const void *message, size_t bytes, const uint8_t public_key[32]) {
  uint8_t key[crypto_box_PUBLICKEYBYTES];
  if (crypto_sign_ed25519_pk_to_curve25519(key, public_key) != 0)
    return -EBADMSG;
  return crypto_box_seal(box, message, bytes, key) == 0 ? 0 : -EBADMSG;
}

int32_t csodium_open_seal(void *message, const uint8_t *box, size_t box_bytes, const uint8_t seed[32]) {
  uint8_t public_key[crypto_sign_PUBLICKEYBYTES], secret_key[crypto_sign_SECRETKEYBYTES];
  uint8_t box_public[crypto_box_PUBLICKEYBYTES], box_secret[crypto_box_SECRETKEYBYTES];
  int32_t result = expand(public_key, secret_key, seed);
  if (result == 0 && (crypto_sign_ed25519_pk_to_curve25519(box_public, public_key) != 0 ||
                      crypto_sign_ed25519_sk_to_curve25519(box_secret, secret_key) != 0 ||
                      crypto_box_seal_open(message, box, box_bytes, box_public, box_secret) != 0))
    result = -EBADMSG;
  sodium_memzero(secret_key, sizeof secret_key);
  sodium_memzero(box_secret, sizeof box_secret);
  return result;
}

enum { NONCE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES };

void csodium_aead_seal(uint8_t *box, const void *message, size_t bytes, const void *context,
                       size_t context_bytes, const uint8_t key[32]) {
  randombytes_buf(box, NONCE);
  (void)crypto_aead_xchacha20poly1305_ietf_encrypt(box + NONCE, NULL, message, bytes, context, context_bytes,
                                                   NULL, box, key);
}

int32_t csodium_aead_open(void *message, const uint8_t *box, size_t box_bytes, const void *context,
                          size_t context_bytes, const uint8_t key[32]) {
  if (box_bytes < CSODIUM_AEAD_EXTRA_BYTES)
    return -EBADMSG;
  return crypto_aead_xchacha20poly1305_ietf_decrypt(message, NULL, NULL, box + NONCE, box_bytes - NONCE, context,
                                                    context_bytes, box, key) == 0
             ? 0
             : -EBADMSG;
}
