/** libjack's messages, kept from stderr: a daemon that waits for its server would print them at every try. */
#ifndef RT_JACK_MESSAGES_H
#define RT_JACK_MESSAGES_H

/** Takes libjack's messages from now on, for the whole process; see rt_take_jack_message. [control] */
void rt_jack_messages_install(void);

#endif
