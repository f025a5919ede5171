import type { WatchedVendor } from "./watched-vendor.ts";

/** An answer with its whole body. */
export type Answered = { readonly status: number; readonly headers: Headers; readonly text: string };

/** Milliseconds that an answer may take, with its body. */
const longestMs = 25_000;

/** A server under test with its vendor, and what was found wrong with it. */
export class Probe {
  readonly url: string;
  readonly vendor: WatchedVendor;
  /** False for a server that cannot keep a run beyond its request. */
  readonly keepsRuns: boolean;
  readonly faults: string[] = [];
  cases = 0;

  constructor(url: string, vendor: WatchedVendor, keepsRuns = true) {
    this.url = url;
    this.vendor = vendor;
    this.keepsRuns = keepsRuns;
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
    // A server that does not answer is named by the case, and does not hold up the others.
    const late = AbortSignal.timeout(longestMs);
    const signal = init.signal ? AbortSignal.any([init.signal, late]) : late;
    return await fetch(this.url + path, { ...init, headers, signal });
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
