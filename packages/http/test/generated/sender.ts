import { Agent, request } from "node:http";
import { bytesOf } from "./described-requests.ts";
import type { Made } from "./described-requests.ts";

/** Milliseconds after which an answer counts as missing, however busy the machine is. */
const longestMs = 300_000;

const noAnswer = "There was no answer.";

/** Sends requests over connections that are kept alive: opening one each time would be most of the work. */
export class Sender {
  readonly #port: number;
  readonly #connections: Agent;

  constructor(port: number, width: number) {
    this.#port = port;
    this.#connections = new Agent({ keepAlive: true, maxSockets: width });
  }

  /** Sends a request, reads the whole answer and returns its status. */
  async send(made: Made): Promise<number> {
    const { method, path } = made;
    const body = bytesOf(made);
    // Without a length, the body of a GET would be parsed as the next request.
    const headers = { ...made.headers, ...(body !== undefined && { "content-length": body.length }) };
    const to = { port: this.#port, host: "127.0.0.1", method, path, headers, agent: this.#connections };
    return await new Promise((resolve, reject) => {
      const asked = request(to, (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0));
        response.on("error", reject);
      });
      asked.setTimeout(longestMs, () => asked.destroy(new Error(noAnswer)));
      asked.on("error", (error: Error) => {
        // The server may close a kept connection just when it is used again.
        if (asked.reusedSocket && error.message !== noAnswer) resolve(this.send(made));
        else reject(new Error(inShort(made), { cause: error }));
      });
      asked.end(body);
    });
  }

  close(): void {
    this.#connections.destroy();
  }
}

/** Returns a request as JSON for a message, shortened. */
export function inShort(made: Made): string {
  return JSON.stringify({ ...made, body: bytesOf(made)?.toString().slice(0, 300) });
}
