/** RT_NONBLOCKING: on the prototype and the definition of all that the process callback reaches. clang then refuses
 *  (-Wfunction-effects) what may allocate, lock or block; a compiler that does not know the attribute sees nothing. */
#ifndef RT_NONBLOCKING_H
#define RT_NONBLOCKING_H

#if defined(__has_attribute)
#if __has_attribute(nonblocking)
#define RT_NONBLOCKING __attribute__((nonblocking))
#endif
#endif

#ifndef RT_NONBLOCKING
#define RT_NONBLOCKING
#endif

#endif
