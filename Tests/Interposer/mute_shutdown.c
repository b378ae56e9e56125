/*
 * For LD_PRELOAD: a libjack that never says that its server has ended, as that of PipeWire 0.3.65 says it to none but
 * jack_on_shutdown's callback.
 */
typedef struct jack_client jack_client;

void jack_on_shutdown(jack_client *client, void (*function)(void *argument), void *argument);
void jack_on_info_shutdown(jack_client *client, void *function, void *argument);

void jack_on_shutdown(jack_client *client, void (*function)(void *argument), void *argument) {
  (void)client, (void)function, (void)argument;
}

void jack_on_info_shutdown(jack_client *client, void *function, void *argument) {
  (void)client, (void)function, (void)argument;
}
