#include "COpenSSL.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(COPENSSL_TAG_BYTES == EVP_GCM_TLS_TAG_LEN, "tag");

/* Of one direction: turning it round would cost a new key schedule. */
struct copenssl_gcm {
  EVP_CIPHER_CTX *context;
  int is_sealing;
};

void copenssl_gcm_destroy(copenssl_gcm *gcm) {
  if (gcm == NULL)
    return;
  /* This cleanses what it frees. */
  EVP_CIPHER_CTX_free(gcm->context);
  free(gcm);
}

copenssl_gcm *copenssl_gcm_create(const uint8_t key[16], int32_t is_sealing, int32_t *error) {
  *error = -ENOMEM;
  copenssl_gcm *gcm = calloc(1, sizeof *gcm);
  if (gcm == NULL)
    return NULL;
  gcm->is_sealing = is_sealing != 0;
  gcm->context = EVP_CIPHER_CTX_new();
  if (gcm->context == NULL) {
    copenssl_gcm_destroy(gcm);
    return NULL;
  }
  *error = -ENOSYS;
  if (EVP_CipherInit_ex(gcm->context, EVP_aes_128_gcm(), NULL, key, NULL, gcm->is_sealing) != 1) {
    copenssl_gcm_destroy(gcm);
    return NULL;
  }
  *error = 0;
  return gcm;
}

/* libcrypto takes an update without octets for an end. */
static int update(EVP_CIPHER_CTX *context, uint8_t *out, const uint8_t *in, int32_t bytes) {
  int written = 0;
  return bytes == 0 || EVP_CipherUpdate(context, out, &written, in, bytes) == 1;
}

int32_t copenssl_gcm_seal(copenssl_gcm *gcm, const uint8_t nonce[12], const uint8_t *associated,
                          int32_t associated_bytes, uint8_t *text, int32_t text_bytes,
                          uint8_t tag[16]) {
  uint8_t none[EVP_MAX_BLOCK_LENGTH];
  int rest = 0;
  if (!gcm->is_sealing || associated_bytes < 0 || text_bytes < 0 ||
      EVP_EncryptInit_ex(gcm->context, NULL, NULL, NULL, nonce) != 1 ||
      !update(gcm->context, NULL, associated, associated_bytes) ||
      !update(gcm->context, text, text, text_bytes) ||
      EVP_EncryptFinal_ex(gcm->context, none, &rest) != 1 ||
      EVP_CIPHER_CTX_ctrl(gcm->context, EVP_CTRL_AEAD_GET_TAG, COPENSSL_TAG_BYTES, tag) != 1)
    return -EIO;
  return 0;
}

int32_t copenssl_gcm_open(copenssl_gcm *gcm, const uint8_t nonce[12], const uint8_t *associated,
                          int32_t associated_bytes, uint8_t *text, int32_t text_bytes,
                          const uint8_t tag[16]) {
  uint8_t none[EVP_MAX_BLOCK_LENGTH], expected[COPENSSL_TAG_BYTES];
  int rest = 0;
  memcpy(expected, tag, sizeof expected);
  if (gcm->is_sealing || associated_bytes < 0 || text_bytes < 0)
    return -EBADMSG;
  if (EVP_DecryptInit_ex(gcm->context, NULL, NULL, NULL, nonce) != 1 ||
      !update(gcm->context, NULL, associated, associated_bytes) ||
      !update(gcm->context, text, text, text_bytes) ||
      EVP_CIPHER_CTX_ctrl(gcm->context, EVP_CTRL_AEAD_SET_TAG, COPENSSL_TAG_BYTES, expected) != 1 ||
      EVP_DecryptFinal_ex(gcm->context, none, &rest) != 1) {
    /* GCM decrypts before it knows: nobody shall use what was not authentic. */
    if (text_bytes > 0)
      OPENSSL_cleanse(text, (size_t)text_bytes);
    return -EBADMSG;
  }
  return 0;
}

int32_t copenssl_key_stream(const uint8_t key[16], const uint8_t counter[16], uint8_t *out,
                            int32_t bytes) {
  if (bytes < 0)
    return -EINVAL;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  if (context == NULL)
    return -ENOMEM;
  memset(out, 0, (size_t)bytes);
  int written = 0;
  const int is_done = EVP_EncryptInit_ex(context, EVP_aes_128_ctr(), NULL, key, counter) == 1 &&
                      EVP_EncryptUpdate(context, out, &written, out, bytes) == 1 && written == bytes;
  EVP_CIPHER_CTX_free(context);
  return is_done ? 0 : -EIO;
}
