import { cutText } from "@troupe/core/kit";
import type { Logger } from "@troupe/core";

/** The most characters of a server's words that are logged in one window, and the length of the window in milliseconds. */
const windowLimit = 65_536;
const windowMs = 60_000;
const longestLine = 2000;

/**
 * Log of what a server writes to its standard error stream or sends as log messages: line by line at level `debug`, and at
 * most 64 KB a minute. Of what is left out it tells once a minute.
 */
export class ServerLog {
  readonly #logger: Logger;
  #rest = "";
  #left = windowLimit;
  #windowEnd = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Logs the complete lines of a text whose end may come later. */
  append(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = cutText(lines.pop() ?? "", longestLine);
    for (const line of lines) this.write(line);
  }

  /** Logs one line. */
  write(line: string): void {
    if (line.trim() === "") return;
    const now = performance.now();
    if (now >= this.#windowEnd) {
      this.#left = windowLimit;
      this.#windowEnd = now + windowMs;
    }
    if (this.#left <= 0) return;
    const shown = cutText(line, longestLine);
    this.#left -= shown.length;
    this.#logger.debug(shown);
    if (this.#left <= 0)
      this.#logger.debug("The server writes more than is logged. The rest of this minute is left out.");
  }
}
