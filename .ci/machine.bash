# What a shared machine does to those who judge by the clock, and what can be done about it; and what a quick build has.
# Sourced by ./dev, .ci/run and gates.

# Beside COMLINK_QUICK, by which Package.swift says what is optimised nevertheless. Without a module that is made
# separately, the compiler runs once. The C++ is BoringSSL, whose ciphers are assembly.
quick_flags=(-Xswiftc -Onone -Xswiftc -no-emit-module-separately-wmo -Xcxx -O0 -Xcxx -g0)

# Keeps processors awake until this process has ended, by the kernel's own means (pm_qos_interface): a host lays down a
# virtual processor that rests, and takes 1 to 50 ms now and then to resume it, which no sound survives.
# Not as an ordinary user.
keep_awake() {
  [ -z "${COMLINK_AWAKE:-}" ] && [ -w /dev/cpu_dma_latency ] || return 0
  export COMLINK_AWAKE=1
  {
    printf '\0\0\0\0' >&9
    exec tail --pid=$$ -f /dev/null
  } 9<>/dev/cpu_dma_latency </dev/null >/dev/null 2>&1 &
  disown
}

# Starts to watch how late timers end that nothing here holds up; late_timers tells.
watch_timers() {
  local program='
    use Time::HiRes qw(clock_gettime usleep CLOCK_MONOTONIC);
    my ($sleeps, $late, $told) = (0, 0, 0);
    while (-d "/proc/$ARGV[1]") {
      my $began = clock_gettime(CLOCK_MONOTONIC);
      usleep(5000);
      my $now = clock_gettime(CLOCK_MONOTONIC);
      $sleeps++;
      $late++ if $now - $began > 0.007;
      next if $now < $told + 1;
      $told = $now;
      open(my $file, ">", $ARGV[0]) and print($file "$sleeps $late\n");
    }'
  local command=(perl -e "$program" "$1" $$)
  chrt -f 90 true 2>/dev/null && command=(chrt -f 90 "${command[@]}")
  "${command[@]}" </dev/null >/dev/null 2>&1 &
  timer_watch=$!
  timer_watch_file=$1
  disown
}

# Ends that; prints how many of 1000 timers ended more than 2 ms late.
# A machine left alone has 2, one that is not 20 to 300.
late_timers() {
  local sleeps=0 late=0
  kill "$timer_watch" 2>/dev/null
  [ ! -s "$timer_watch_file" ] || read -r sleeps late <"$timer_watch_file"
  rm -f "$timer_watch_file"
  echo $((late * 1000 / (sleeps > 0 ? sleeps : 1)))
}

# From so many late timers of 1000 on, what failed by the clock may be the machine's fault.
unfit_permille=10

# Waits until the machine is fit for sound, $1 seconds at most.
await_quiet() {
  local until=$((SECONDS + $1)) late
  while :; do
    watch_timers "$(mktemp)"
    sleep 10
    late=$(late_timers)
    [ "$late" -ge "$unfit_permille" ] && [ "$SECONDS" -lt "$until" ] || break
  done
  echo "==> of 1000 timers $late were more than 2 ms late in the last 10 s"
}

# whole_seconds TIME: of 2m3.456s.
whole_seconds() {
  local minutes=${1%m*} seconds=${1#*m}
  echo $((60 * minutes + ${seconds%[.,]*}))
}
