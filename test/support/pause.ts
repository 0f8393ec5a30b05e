/** The pause between two checks of a polling loop, which leaves the processors to other work. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
