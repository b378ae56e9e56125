#include "COpenSSL.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/modes.h>
#include <stdlib.h>
#include <string.h>

/* A counter block is a nonce and 32 bits of counter, big-endian;
 * 1 is the tag's, the text's begin with 2 (NIST SP 800-38D §7.1). */
enum { BLOCK_BYTES = 16, COUNTER_OFFSET = COPENSSL_NONCE_BYTES, AHEAD_BLOCKS = 96 };

/* libcrypto's GCM asks for AES by the two functions below,
 * and is answered out of what one call made for the whole packet. */
struct copenssl_gcm {
  EVP_CIPHER_CTX *aes;
  GCM128_CONTEXT *mode;
  /* The key stream of the packet in work, from counter 1 on; no block of it between packets. */
  const uint8_t *ahead;
  size_t ahead_blocks;
  int has_failed;
};

static uint32_t counter_of(const uint8_t block[BLOCK_BYTES]) {
  uint32_t octets;
  memcpy(&octets, block + COUNTER_OFFSET, sizeof octets);
  return ntohl(octets);
}

static void set_counter(uint8_t block[BLOCK_BYTES], uint32_t counter) {
  const uint32_t octets = htonl(counter);
  memcpy(block + COUNTER_OFFSET, &octets, sizeof octets);
}

/* Each block by itself, in place too. A failure is told to whoever asked for the packet. */
static void encrypt(copenssl_gcm *gcm, uint8_t *out, const uint8_t *in, size_t blocks) {
  const int bytes = (int)(BLOCK_BYTES * blocks);
  int written = 0;
  if (EVP_EncryptUpdate(gcm->aes, out, &written, in, bytes) != 1 || written != bytes)
    gcm->has_failed = 1;
}

/* block128_f */
static void encrypt_block(const uint8_t in[BLOCK_BYTES], uint8_t out[BLOCK_BYTES], const void *owner) {
  copenssl_gcm *gcm = (copenssl_gcm *)owner;
  const uint32_t place = counter_of(in) - 1;
  if (place < gcm->ahead_blocks)
    memcpy(out, gcm->ahead + BLOCK_BYTES * (size_t)place, BLOCK_BYTES);
  else
    encrypt(gcm, out, in, 1);
}

/* ctr128_f: text XOR the key stream from a counter block on. */
static void encrypt_text(const uint8_t *in, uint8_t *out, size_t blocks, const void *owner,
                         const uint8_t first[BLOCK_BYTES]) {
  uint8_t counter[BLOCK_BYTES];
  uint64_t text[2], stream[2];
  memcpy(counter, first, sizeof counter);
  for (uint32_t n = counter_of(first); blocks > 0; blocks--, n++) {
    set_counter(counter, n);
    encrypt_block(counter, (uint8_t *)stream, owner);
    memcpy(text, in, sizeof text);
    text[0] ^= stream[0];
    text[1] ^= stream[1];
    memcpy(out, text, sizeof text);
    in += BLOCK_BYTES;
    out += BLOCK_BYTES;
  }
}

void copenssl_gcm_destroy(copenssl_gcm *gcm) {
  if (gcm == NULL)
    return;
  /* Both cleanse what they free. */
  CRYPTO_gcm128_release(gcm->mode);
  EVP_CIPHER_CTX_free(gcm->aes);
  free(gcm);
}

copenssl_gcm *copenssl_gcm_create(const uint8_t key[16], int32_t *error) {
  *error = -ENOMEM;
  copenssl_gcm *gcm = calloc(1, sizeof *gcm);
  if (gcm == NULL)
    return NULL;
  gcm->aes = EVP_CIPHER_CTX_new();
  gcm->has_failed = gcm->aes == NULL ||
                    EVP_EncryptInit_ex(gcm->aes, EVP_aes_128_ecb(), NULL, key, NULL) != 1 ||
                    EVP_CIPHER_CTX_set_padding(gcm->aes, 0) != 1;
  if (!gcm->has_failed)
    gcm->mode = CRYPTO_gcm128_new(gcm, encrypt_block);
  if (gcm->has_failed)
    *error = gcm->aes == NULL ? -ENOMEM : -ENOSYS;
  else if (gcm->mode != NULL)
    *error = 0;
  if (*error == 0)
    return gcm;
  copenssl_gcm_destroy(gcm);
  return NULL;
}

/* Makes the key stream of a packet in room, and begins its tag.
 * What a very long packet needs beyond is made block by block. */
static int begin(copenssl_gcm *gcm, uint8_t room[BLOCK_BYTES * AHEAD_BLOCKS], const uint8_t nonce[12],
                 const uint8_t *associated, size_t associated_bytes, size_t text_bytes) {
  const size_t needed = 1 + (text_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
  const size_t blocks = needed < AHEAD_BLOCKS ? needed : AHEAD_BLOCKS;
  for (size_t n = 0; n < blocks; n++) {
    memcpy(room + BLOCK_BYTES * n, nonce, COPENSSL_NONCE_BYTES);
    set_counter(room + BLOCK_BYTES * n, (uint32_t)n + 1);
  }
  encrypt(gcm, room, room, blocks);
  gcm->ahead = room;
  gcm->ahead_blocks = blocks;
  CRYPTO_gcm128_setiv(gcm->mode, nonce, COPENSSL_NONCE_BYTES);
  return CRYPTO_gcm128_aad(gcm->mode, associated, associated_bytes);
}

/* The key stream would tell whoever finds it what was said. */
static void end(copenssl_gcm *gcm, uint8_t room[BLOCK_BYTES * AHEAD_BLOCKS]) {
  OPENSSL_cleanse(room, BLOCK_BYTES * gcm->ahead_blocks);
  gcm->ahead = NULL;
  gcm->ahead_blocks = 0;
}

int32_t copenssl_gcm_seal(copenssl_gcm *gcm, const uint8_t nonce[12], const uint8_t *associated,
                          int32_t associated_bytes, uint8_t *text, int32_t text_bytes,
                          uint8_t tag[16]) {
  uint8_t room[BLOCK_BYTES * AHEAD_BLOCKS];
  if (associated_bytes < 0 || text_bytes < 0)
    return -EIO;
  int failure = begin(gcm, room, nonce, associated, (size_t)associated_bytes, (size_t)text_bytes);
  if (failure == 0)
    failure = CRYPTO_gcm128_encrypt_ctr32(gcm->mode, text, text, (size_t)text_bytes, encrypt_text);
  CRYPTO_gcm128_tag(gcm->mode, tag, COPENSSL_TAG_BYTES);
  end(gcm, room);
  return failure != 0 || gcm->has_failed ? -EIO : 0;
}

int32_t copenssl_gcm_open(copenssl_gcm *gcm, const uint8_t nonce[12], const uint8_t *associated,
                          int32_t associated_bytes, uint8_t *text, int32_t text_bytes,
                          const uint8_t tag[16]) {
  uint8_t room[BLOCK_BYTES * AHEAD_BLOCKS];
  if (associated_bytes < 0 || text_bytes < 0)
    return -EBADMSG;
  int failure = begin(gcm, room, nonce, associated, (size_t)associated_bytes, (size_t)text_bytes);
  if (failure == 0)
    failure = CRYPTO_gcm128_decrypt_ctr32(gcm->mode, text, text, (size_t)text_bytes, encrypt_text);
  /* Compares in constant time. */
  if (failure == 0)
    failure = CRYPTO_gcm128_finish(gcm->mode, tag, COPENSSL_TAG_BYTES);
  end(gcm, room);
  if (failure == 0 && !gcm->has_failed)
    return 0;
  /* GCM decrypts before it knows: nobody shall use what was not authentic. */
  if (text_bytes > 0)
    OPENSSL_cleanse(text, (size_t)text_bytes);
  return -EBADMSG;
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
