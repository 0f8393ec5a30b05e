import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** True while the browser prints: then nothing is left out because it is off the screen. */
export function usePrinted(): boolean {
  const isPrinted = useSignal(false);
  useEffect(() => {
    const look = ({ type }: Event): void => void (isPrinted.value = type === "beforeprint");
    addEventListener("beforeprint", look);
    addEventListener("afterprint", look);
    return () => {
      removeEventListener("beforeprint", look);
      removeEventListener("afterprint", look);
    };
  }, []);
  return isPrinted.value;
}
