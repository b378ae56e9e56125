/* AES-128-GCM against test case 4 of McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B. */
#include "COpenSSL.h"
#include "core_test.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stddef.h>
#include <string.h>

static const uint8_t key[16] = {0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c, 0x6d, 0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83, 0x08};
static const uint8_t nonce[12] = {0xca, 0xfe, 0xba, 0xbe, 0xfa, 0xce, 0xdb, 0xad, 0xde, 0xca, 0xf8, 0x88};
static const uint8_t associated[20] = {0xfe, 0xed, 0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef, 0xfe, 0xed,
                                       0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef, 0xab, 0xad, 0xda, 0xd2};
static const uint8_t plain[60] = {0xd9, 0x31, 0x32, 0x25, 0xf8, 0x84, 0x06, 0xe5, 0xa5, 0x59, 0x09, 0xc5, 0xaf, 0xf5, 0x26,
                                  0x9a, 0x86, 0xa7, 0xa9, 0x53, 0x15, 0x34, 0xf7, 0xda, 0x2e, 0x4c, 0x30, 0x3d, 0x8a, 0x31,
                                  0x8a, 0x72, 0x1c, 0x3c, 0x0c, 0x95, 0x95, 0x68, 0x09, 0x53, 0x2f, 0xcf, 0x0e, 0x24, 0x49,
                                  0xa6, 0xb5, 0x25, 0xb1, 0x6a, 0xed, 0xf5, 0xaa, 0x0d, 0xe6, 0x57, 0xba, 0x63, 0x7b, 0x39};
static const uint8_t sealed[60] = {0x42, 0x83, 0x1e, 0xc2, 0x21, 0x77, 0x74, 0x24, 0x4b, 0x72, 0x21, 0xb7, 0x84, 0xd0, 0xd4,
                                   0x9c, 0xe3, 0xaa, 0x21, 0x2f, 0x2c, 0x02, 0xa4, 0xe0, 0x35, 0xc1, 0x7e, 0x23, 0x29, 0xac,
                                   0xa1, 0x2e, 0x21, 0xd5, 0x14, 0xb2, 0x54, 0x66, 0x93, 0x1c, 0x7d, 0x8f, 0x6a, 0x5a, 0xac,
                                   0x84, 0xaa, 0x05, 0x1b, 0xa3, 0x0b, 0x39, 0x6a, 0x0a, 0xac, 0x97, 0x3d, 0x58, 0xe0, 0x91};
static const uint8_t sealed_tag[16] = {0x5b, 0xc9, 0x4f, 0xbc, 0x32, 0x21, 0xa5, 0xdb,
                                       0x94, 0xfa, 0xe9, 0x5a, 0xe7, 0x12, 0x1a, 0x47};

static void test_vector(copenssl_gcm *gcm) {
  uint8_t text[sizeof plain], tag[16];
  memcpy(text, plain, sizeof text);
  EXPECT(copenssl_gcm_seal(gcm, nonce, associated, sizeof associated, text, sizeof text, tag) == 0);
  EXPECT(memcmp(text, sealed, sizeof text) == 0);
  EXPECT(memcmp(tag, sealed_tag, sizeof tag) == 0);
  EXPECT(copenssl_gcm_open(gcm, nonce, associated, sizeof associated, text, sizeof text, tag) == 0);
  EXPECT(memcmp(text, plain, sizeof text) == 0);
  tag[0] ^= 1;
  EXPECT(copenssl_gcm_open(gcm, nonce, associated, sizeof associated, text, sizeof text, tag) == -EBADMSG);
}

/* The tag that libcrypto's own cipher makes. */
static void tag_by_evp(const uint8_t *text, int32_t length, int32_t associated_bytes, uint8_t tag[16]) {
  static uint8_t out[2048];
  int written = 0;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  EXPECT(EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), NULL, key, nonce) == 1);
  if (associated_bytes > 0) EXPECT(EVP_EncryptUpdate(context, NULL, &written, associated, associated_bytes) == 1);
  if (length > 0) EXPECT(EVP_EncryptUpdate(context, out, &written, text, length) == 1);
  EXPECT(EVP_EncryptFinal_ex(context, out, &written) == 1);
  EXPECT(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1);
  EVP_CIPHER_CTX_free(context);
}

/* Over zeros the cipher text is the key stream, which libcrypto's counter mode makes too: of all lengths,
 * made ahead whole or in part. */
static void test_lengths(copenssl_gcm *gcm) {
  enum { LONGEST = 2000 };
  static uint8_t stream[LONGEST], text[LONGEST];
  uint8_t counter[16] = {0}, tag[16], expected[16];
  memcpy(counter, nonce, sizeof nonce);
  counter[15] = 2;
  EXPECT(copenssl_key_stream(key, counter, stream, LONGEST) == 0);
  for (int32_t length = 0; length <= LONGEST; length += length < 100 ? 1 : 37) {
    memset(text, 0, sizeof text);
    tag_by_evp(text, length, length % 21, expected);
    EXPECT(copenssl_gcm_seal(gcm, nonce, associated, length % 21, text, length, tag) == 0);
    EXPECT(memcmp(text, stream, (size_t)length) == 0);
    EXPECT(memcmp(tag, expected, sizeof tag) == 0);
    EXPECT(copenssl_gcm_open(gcm, nonce, associated, length % 21, text, length, tag) == 0);
    for (int32_t place = 0; place < length; place++)
      EXPECT(text[place] == 0);
  }
}

void test_cipher(void) {
  int32_t error = 0;
  copenssl_gcm *gcm = copenssl_gcm_create(key, &error);
  EXPECT(gcm != NULL && error == 0);
  test_vector(gcm);
  test_lengths(gcm);
  test_vector(gcm);
  copenssl_gcm_destroy(gcm);
}
