# Which suites a change is judged by where; sourced by .ci/run and by the gates 4 and 5.

# AddressSanitizer judges these whole. They are neither built nor run a second time without it. Not the simulations of
# mesh and lines: with a sanitizer's few seeds most of them would have one.
sanitized_computing=(System RTP Cryptography Store Barcode Messages Journal Keys KeyDevices Captions)
# Those with threads or a clock, likewise; ThreadSanitizer judges what of them opens no JACK client.
sanitized_clocked=(Realtime Audio JackSession)

# alternatives SUITE...: their test targets, as a filter.
alternatives() {
  local IFS='|'
  echo "^($*)Tests\\."
}
