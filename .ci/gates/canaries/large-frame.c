/* Planted by 1-function-effects.sh: more than 1 KiB of stack. */
int canary_fills_stack(int index);
int canary_fills_stack(int index) {
  volatile int numbers[512];
  numbers[index] = index;
  return numbers[index];
}
