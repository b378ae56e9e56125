/**
 * The audio thread of a JACK client that runs its cycles itself.
 *
 * The period's sound is made, the server told, which lets the clients after this one go, and only then is the loop
 * woken. In a process callback the wake-up (a system call, 8 to 15 us) would come first: the graph would wait for it,
 * and the loop, which runs below JACK, would begin on the very processor that the next client is about to take from it.
 */
#ifndef RT_AUDIO_THREAD_H
#define RT_AUDIO_THREAD_H

/** For jack_set_process_thread; argument is the engine. Never returns: JACK ends the thread. */
void *rt_audio_thread_run(void *argument);

#endif
