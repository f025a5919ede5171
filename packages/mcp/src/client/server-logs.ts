import { cutText } from "@troupe/core/kit";
import type { Logger } from "@troupe/core";

/**
 * The most characters of an MCP server's output that are logged in one window of time, and the window in milliseconds.
 */
const windowLimit = 65_536;
const windowMs = 60_000;
const longestLine = 2000;

/**
 * Logs an MCP server's standard error and log messages, line by line at level `debug`, at most 64 KB per minute. Logs
 * once per minute that the rest is omitted.
 */
export class ServerLog {
  readonly #logger: Logger;
  #rest = "";
  #left = windowLimit;
  #windowEnd = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Logs the complete lines of a server's output. An unfinished last line waits for the next text. */
  append(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = cutText(lines.pop() ?? "", longestLine);
    for (const line of lines) this.write(line);
  }

  /** Logs one line, unless it is blank or the limit of this minute is reached. */
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
