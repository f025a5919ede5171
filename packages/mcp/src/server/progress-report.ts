/** A function that sends progress to a client: a growing number, and the new text. */
export type SendProgress = (progress: { progress: number; message?: string }) => Promise<void>;

/** Shortest time between two progress messages with text, in milliseconds. */
const progressPauseMs = 250;
/** Longest time between two progress messages, in milliseconds: clients cancel a call after a minute of silence. */
const progressPulseMs = 10_000;

/**
 * Reports the progress of one run to the MCP client: its new text, at most four times a second, and a heartbeat if
 * there is no text.
 */
export class ProgressReport {
  readonly #send: SendProgress;
  readonly #pulse: NodeJS.Timeout;
  #count = 0;
  #text = "";
  #sentAt = -Infinity;

  constructor(send: SendProgress) {
    this.#send = send;
    this.#pulse = setInterval(() => this.#flush(), progressPulseMs).unref();
  }

  add(text: string): void {
    if (text === "") return;
    this.#text += text;
    if (performance.now() - this.#sentAt >= progressPauseMs) this.#flush();
  }

  end(): void {
    clearInterval(this.#pulse);
  }

  #flush(): void {
    const message = this.#text;
    this.#text = "";
    this.#sentAt = performance.now();
    // A failure to send progress is ignored, because a disconnected client ends the run through its signal.
    this.#send({ progress: ++this.#count, ...(message !== "" && { message }) }).catch(() => {});
  }
}
