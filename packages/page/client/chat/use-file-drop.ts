import { useEffect } from "preact/hooks";
import type { RefObject } from "preact";

/**
 * Accepts files that are dropped anywhere on the page while an element is shown. If files are not accepted, the drop is
 * still cancelled, because the browser would leave the page and open the file.
 */
export function useFileDrop(shown: RefObject<HTMLElement | null>, onFiles: (files: Iterable<File>) => void): void {
  useEffect(() => {
    const hold = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      hold(event);
      if (shown.current?.checkVisibility() === true) onFiles(event.dataTransfer?.files ?? []);
    };
    addEventListener("dragover", hold);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", hold);
      removeEventListener("drop", drop);
    };
  });
}
