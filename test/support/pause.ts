/** Between two looks of a loop that waits for something: it leaves the processors to what it waits for. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
