# Which suites a change is judged by where; sourced by .ci/run and by the gates 4 and 5.

# AddressSanitizer judges these whole. They are neither built nor run a second time without it.
sanitized_computing=(System RTP Mesh Cryptography Store Barcode Lines Messages Journal Keys KeyDevices Captions)
# Those with threads or a clock, whole under each sanitizer.
sanitized_clocked=(Realtime Audio JackSession)

# alternatives SUITE...: their test targets, as a filter.
alternatives() {
  local IFS='|'
  echo "^($*)Tests\\."
}
