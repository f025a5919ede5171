import type { WatchedVendor } from "./watched-vendor.ts";

/** An answer with its whole body. */
export type Answered = { readonly status: number; readonly headers: Headers; readonly text: string };

/** A server under test with its vendor, and what was found wrong with it. */
export class Probe {
  readonly url: string;
  readonly vendor: WatchedVendor;
  readonly faults: string[] = [];
  cases = 0;

  constructor(url: string, vendor: WatchedVendor) {
    this.url = url;
    this.vendor = vendor;
  }

  /** Counts a case, and notes a fault if it does not hold. */
  expect(isTrue: boolean, fault: string): void {
    this.cases += 1;
    if (!isTrue) this.faults.push(fault);
  }

  /** Sends a request of Ada, and returns its answer as a stream. */
  async open(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has("x-test-user")) headers.set("x-test-user", "ada");
    return await fetch(this.url + path, { ...init, headers });
  }

  /** Sends a request of Ada, and returns its whole answer: status 0 if there is none. */
  async ask(path: string, init: RequestInit = {}): Promise<Answered> {
    try {
      const answer = await this.open(path, init);
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    } catch (error) {
      return { status: 0, headers: new Headers(), text: String(error) };
    }
  }

  /** Posts JSON. A string is sent as it is. */
  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answered> {
    return await this.ask(path, posted(body, headers));
  }

  /** Expects an error in our form with this status. */
  expectError({ status, text }: Answered, expected: number, subject: string): void {
    const hasForm = text.startsWith('{"error":{') && /"code":"\w+","message":".+"requestId":"/.test(text);
    this.expect(status === expected && hasForm, `${subject}: ${status} instead of ${expected}: ${text.slice(0, 150)}`);
  }
}

/** Makes a request that posts JSON. */
export function posted(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}
