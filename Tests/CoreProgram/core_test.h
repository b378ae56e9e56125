/** Contract of the C core without Swift and without JACK, for machines that the Swift tests do not run on. */
#ifndef CORE_TEST_H
#define CORE_TEST_H

#include <stdbool.h>

/** Says so and counts when something is not as it should be; the program fails then. */
void core_expect(bool is_true, const char *words, const char *file, int line);
#define EXPECT(condition) core_expect((condition), #condition, __FILE__, __LINE__)

void test_rings(void);
void test_engine(void);
void test_codec(void);
void test_cipher(void);
void test_link(void);

#endif
