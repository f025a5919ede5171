import { createHmac } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** A message that the bot has posted. */
type Posted = { channel: string; thread_ts: string; text: string };

/** Stands in for Slack: sends signed events to a bot, and takes its messages. */
export class FakeSlack {
  readonly signingSecret = "8f742231b10e8888abcd99yyyzzz85a5";
  readonly token = "xoxb-example";
  readonly posted: Posted[] = [];
  readonly #server: Server;
  readonly #emitter = new EventEmitter();
  #unanswered = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  static async start(): Promise<FakeSlack> {
    const slack = new FakeSlack();
    await once(slack.#server.listen(0, "127.0.0.1"), "listening");
    return slack;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Waits until the bot has posted its message of this number. */
  async untilPosted(count: number): Promise<void> {
    while (this.posted.length < count) await once(this.#emitter, "posted");
  }

  /** Sends an event as Slack does. `secret` and `ageSeconds` make a forged or an old request. */
  async send(
    to: string,
    body: object,
    { secret = this.signingSecret, ageSeconds = 0 }: { secret?: string; ageSeconds?: number } = {},
  ): Promise<Response> {
    const text = JSON.stringify(body);
    const time = String(Math.floor(Date.now() / 1000) - ageSeconds);
    const signature = `v0=${createHmac("sha256", secret).update(`v0:${time}:${text}`).digest("hex")}`;
    this.#unanswered += 1;
    const response = await fetch(to, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-slack-request-timestamp": time,
        "x-slack-signature": signature,
      },
      body: text,
    });
    this.#unanswered -= 1;
    this.#emitter.emit("answered");
    return response;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("content-type", "application/json");
    if (request.headers.authorization !== `Bearer ${this.token}`) {
      response.end('{"ok":false,"error":"invalid_auth"}');
      return;
    }
    const message = (await json(request)) as Posted;
    // A bot that answers an event only after its reply waits forever here, and is too late for Slack.
    while (this.#unanswered > 0) await once(this.#emitter, "answered");
    this.posted.push(message);
    response.end('{"ok":true}');
    this.#emitter.emit("posted");
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
