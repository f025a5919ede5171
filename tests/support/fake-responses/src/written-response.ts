import { FakeResponse } from "./fake-response.ts";

/** A response without a network that stores its status, headers and body. */
export class WrittenResponse extends FakeResponse {
  status: number | undefined;
  readonly headers: Record<string, unknown> = {};
  body = "";
  /** The interim responses that were sent before the head. */
  readonly hints: unknown[] = [];
  /** True while the reader is behind: each write asks for a pause. */
  isFull = false;

  override setHeader(name = "", value?: unknown): this {
    if (this.headersSent) throw new Error("The head is sent.");
    this.headers[name.toLowerCase()] = value;
    return this;
  }

  override getHeader(name = ""): unknown {
    return this.headers[name.toLowerCase()] ?? super.getHeader(name);
  }

  override removeHeader(name = ""): void {
    delete this.headers[name.toLowerCase()];
  }

  override writeEarlyHints(hints?: unknown): void {
    super.writeEarlyHints();
    this.hints.push(hints);
  }

  override writeHead(status?: number, headers: Record<string, unknown> = {}): this {
    for (const [name, value] of Object.entries(headers)) this.setHeader(name, value);
    this.status = status;
    return super.writeHead();
  }

  override write(text = ""): boolean {
    this.body += text;
    return super.write() && !this.isFull;
  }

  override end(text = ""): this {
    this.body += text;
    return super.end();
  }

  /** The reader has caught up. */
  drain(): void {
    this.isFull = false;
    this.emit("drain");
  }

  /** The data of the events that were sent, in their order, with their ids. */
  get events(): { id: string | undefined; data: unknown }[] {
    const blocks = this.body.split("\n\n").filter((block) => block !== "" && !block.startsWith(":"));
    return blocks.map((block) => {
      const [, id, data = ""] = /^(?:id: (.+)\n)?data: (.*)$/.exec(block) ?? [];
      return { id, data: data === "[DONE]" ? data : (JSON.parse(data) as unknown) };
    });
  }
}
