#include "COpenSSL.h"

#include <errno.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/obj_mac.h>
#include <string.h>

enum { SCALAR_BYTES = COPENSSL_P256_SCALAR_BYTES, HASH_BYTES = 32, WIDE_BYTES = 64 };

/* What every operation works with; all or nothing. */
typedef struct {
  BN_CTX *numbers;
  EC_GROUP *group;
  const BIGNUM *order;
} curve;

static int curve_open(curve *c) {
  c->numbers = BN_CTX_secure_new();
  c->group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
  if (c->numbers == NULL || c->group == NULL) return 0;
  c->order = EC_GROUP_get0_order(c->group);
  BN_CTX_start(c->numbers);
  return 1;
}

static void curve_close(curve *c) {
  if (c->numbers != NULL && c->group != NULL) BN_CTX_end(c->numbers);
  EC_GROUP_free(c->group);
  BN_CTX_free(c->numbers);
}

/* A number that tells little of itself by the time it takes; NULL without memory. */
static BIGNUM *secret_number(curve *c, const uint8_t *octets, int bytes) {
  BIGNUM *number = BN_CTX_get(c->numbers);
  if (number == NULL || BN_bin2bn(octets, bytes, number) == NULL) return NULL;
  BN_set_flags(number, BN_FLG_CONSTTIME);
  return number;
}

/* A scalar from outside, NULL and *error if it is none. */
static BIGNUM *scalar_number(curve *c, const uint8_t scalar[SCALAR_BYTES], int32_t *error) {
  BIGNUM *number = secret_number(c, scalar, SCALAR_BYTES);
  *error = -ENOMEM;
  if (number == NULL) return NULL;
  *error = -EINVAL;
  return BN_is_zero(number) || BN_cmp(number, c->order) >= 0 ? NULL : number;
}

int32_t copenssl_p256_scalar(const uint8_t octets[WIDE_BYTES], uint8_t scalar[SCALAR_BYTES]) {
  curve c = {0};
  int32_t code = -ENOMEM;
  if (curve_open(&c)) {
    BIGNUM *wide = secret_number(&c, octets, WIDE_BYTES);
    BIGNUM *most = BN_CTX_get(c.numbers);
    if (wide != NULL && most != NULL && BN_sub(most, c.order, BN_value_one()) && BN_mod(wide, wide, most, c.numbers) &&
        BN_add_word(wide, 1) && BN_bn2binpad(wide, scalar, SCALAR_BYTES) == SCALAR_BYTES)
      code = 0;
  }
  curve_close(&c);
  return code;
}

int32_t copenssl_p256_point(const uint8_t scalar[SCALAR_BYTES], uint8_t point[COPENSSL_P256_POINT_BYTES]) {
  curve c = {0};
  int32_t code = -ENOMEM;
  EC_POINT *product = NULL;
  if (curve_open(&c)) {
    const BIGNUM *number = scalar_number(&c, scalar, &code);
    if (number != NULL) {
      code = -ENOMEM;
      product = EC_POINT_new(c.group);
      if (product != NULL && EC_POINT_mul(c.group, product, number, NULL, NULL, c.numbers) &&
          EC_POINT_point2oct(c.group, product, POINT_CONVERSION_UNCOMPRESSED, point, COPENSSL_P256_POINT_BYTES, c.numbers) ==
              COPENSSL_P256_POINT_BYTES)
        code = 0;
    }
  }
  EC_POINT_clear_free(product);
  curve_close(&c);
  return code;
}

/* HMAC-DRBG as RFC 6979 §3.2 steps it. */
typedef struct {
  uint8_t key[HASH_BYTES], value[HASH_BYTES];
} generator;

/* K = HMAC(K, V || tag || seed), V = HMAC(K, V). */
static int generator_update(generator *g, uint8_t tag, const uint8_t *seed, size_t seed_bytes) {
  uint8_t message[HASH_BYTES + 1 + 2 * HASH_BYTES];
  memcpy(message, g->value, HASH_BYTES);
  message[HASH_BYTES] = tag;
  if (seed_bytes > 0) memcpy(message + HASH_BYTES + 1, seed, seed_bytes);
  const int is_done = HMAC(EVP_sha256(), g->key, HASH_BYTES, message, HASH_BYTES + 1 + seed_bytes, g->key, NULL) != NULL &&
                      HMAC(EVP_sha256(), g->key, HASH_BYTES, g->value, HASH_BYTES, g->value, NULL) != NULL;
  OPENSSL_cleanse(message, sizeof message);
  return is_done;
}

/* Steps a to g; the digest modulo n is what bits2octets makes of it. */
static int generator_seed(generator *g, const uint8_t scalar[SCALAR_BYTES], const uint8_t reduced[SCALAR_BYTES]) {
  uint8_t seed[2 * SCALAR_BYTES];
  memset(g->key, 0, HASH_BYTES);
  memset(g->value, 1, HASH_BYTES);
  memcpy(seed, scalar, SCALAR_BYTES);
  memcpy(seed + SCALAR_BYTES, reduced, SCALAR_BYTES);
  const int is_done = generator_update(g, 0, seed, sizeof seed) && generator_update(g, 1, seed, sizeof seed);
  OPENSSL_cleanse(seed, sizeof seed);
  return is_done;
}

/* r and s for one nonce. 1: done; 0: this nonce will not do; -1: no memory. */
static int sign_with(curve *c, BIGNUM *nonce, const BIGNUM *scalar, const BIGNUM *digest, BIGNUM *r, BIGNUM *s) {
  EC_POINT *point = EC_POINT_new(c->group);
  const int has_point = point != NULL && EC_POINT_mul(c->group, point, nonce, NULL, NULL, c->numbers) &&
                        EC_POINT_get_affine_coordinates(c->group, point, r, NULL, c->numbers) &&
                        BN_nnmod(r, r, c->order, c->numbers);
  EC_POINT_clear_free(point);
  if (!has_point) return -1;
  if (BN_is_zero(r)) return 0;
  BIGNUM *inverse = BN_CTX_get(c->numbers);
  if (inverse == NULL) return -1;
  BN_set_flags(inverse, BN_FLG_CONSTTIME);
  if (BN_mod_inverse(inverse, nonce, c->order, c->numbers) == NULL || !BN_mod_mul(s, r, scalar, c->order, c->numbers) ||
      !BN_mod_add(s, s, digest, c->order, c->numbers) || !BN_mod_mul(s, s, inverse, c->order, c->numbers))
    return -1;
  return BN_is_zero(s) ? 0 : 1;
}

static int32_t encode(const BIGNUM *r, const BIGNUM *s, uint8_t signature[COPENSSL_P256_SIGNATURE_BYTES]) {
  ECDSA_SIG *pair = ECDSA_SIG_new();
  BIGNUM *own_r = BN_dup(r), *own_s = BN_dup(s);
  int32_t bytes = -ENOMEM;
  if (pair != NULL && own_r != NULL && own_s != NULL && ECDSA_SIG_set0(pair, own_r, own_s)) {
    own_r = own_s = NULL;
    if (i2d_ECDSA_SIG(pair, NULL) <= COPENSSL_P256_SIGNATURE_BYTES) bytes = i2d_ECDSA_SIG(pair, &signature);
  }
  BN_free(own_r);
  BN_free(own_s);
  ECDSA_SIG_free(pair);
  return bytes;
}

/* Nonces of the generator until one will do, step h; as good as always the first. */
static int32_t sign(curve *c, const uint8_t scalar[SCALAR_BYTES], const BIGNUM *number, const uint8_t digest[HASH_BYTES],
                    uint8_t signature[COPENSSL_P256_SIGNATURE_BYTES]) {
  generator g;
  uint8_t reduced[SCALAR_BYTES];
  BIGNUM *hash = BN_CTX_get(c->numbers), *r = BN_CTX_get(c->numbers), *s = BN_CTX_get(c->numbers);
  if (s == NULL || BN_bin2bn(digest, HASH_BYTES, hash) == NULL || !BN_mod(hash, hash, c->order, c->numbers) ||
      BN_bn2binpad(hash, reduced, SCALAR_BYTES) != SCALAR_BYTES || !generator_seed(&g, scalar, reduced))
    return -ENOMEM;
  int32_t code = -ENOMEM;
  for (int tries = 0; tries < 64; tries++) {
    if (HMAC(EVP_sha256(), g.key, HASH_BYTES, g.value, HASH_BYTES, g.value, NULL) == NULL) break;
    int32_t error = 0;
    BIGNUM *nonce = scalar_number(c, g.value, &error);
    if (nonce == NULL && error == -ENOMEM) break;
    const int outcome = nonce == NULL ? 0 : sign_with(c, nonce, number, hash, r, s);
    if (outcome < 0) break;
    if (outcome > 0) {
      code = encode(r, s, signature);
      break;
    }
    if (!generator_update(&g, 0, NULL, 0)) break;
  }
  OPENSSL_cleanse(&g, sizeof g);
  return code;
}

int32_t copenssl_p256_sign(const uint8_t scalar[SCALAR_BYTES], const uint8_t digest[HASH_BYTES],
                           uint8_t signature[COPENSSL_P256_SIGNATURE_BYTES]) {
  curve c = {0};
  int32_t code = -ENOMEM;
  if (curve_open(&c)) {
    const BIGNUM *number = scalar_number(&c, scalar, &code);
    if (number != NULL) code = sign(&c, scalar, number, digest, signature);
  }
  curve_close(&c);
  return code;
}
