import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** An answer that curl has printed. */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

const execute = promisify(execFile);

/** Sends requests with curl, and remembers the methods and paths of all requests of the tour. */
export class Curl {
  readonly sent: string[] = [];
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Remembers a request, such as one that the client of another protocol sends. */
  note(target: string): void {
    this.sent.push(target.split("?")[0] ?? "");
  }

  /** Sends a request with these arguments of curl. With a `body` it is a POST of JSON. */
  async send(target: string, body?: unknown, ...args: readonly string[]): Promise<Answer> {
    const [method = "GET", path = ""] = target.split(" ");
    this.note(target);
    const json = body === undefined ? [] : ["-H", "content-type: application/json", "-d", JSON.stringify(body)];
    const given = ["-sS", "-i", "-N", "-m", "50", "-X", method, ...json, ...args, this.#url + path];
    const { stdout } = await execute("curl", given, { maxBuffer: 64 * 1024 * 1024 });
    return readAnswer(stdout);
  }
}

function readAnswer(printed: string): Answer {
  const end = printed.indexOf("\r\n\r\n");
  const [first = "", ...lines] = printed.slice(0, end).split("\r\n");
  const text = printed.slice(end + 4);
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(":")).toLowerCase(),
    line.slice(line.indexOf(":") + 1).trim(),
  ]);
  return { status: Number(first.split(" ")[1]), headers: Object.fromEntries(headers) as Record<string, string>, text };
}

/** Returns the chunks of a stream of server-sent events. */
export function chunksOf({ text }: Answer): { type: string; text?: string }[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(
    ([, data = ""]) => JSON.parse(data) as { type: string; text?: string },
  );
}
