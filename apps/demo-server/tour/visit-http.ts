import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { chunksOf } from "./curl.ts";
import type { Curl } from "./curl.ts";
import { keyHeaders, questions } from "./questions.ts";
import { expect } from "./tour.ts";
import type { Tour } from "./tour.ts";

/** Drives the endpoints over HTTP with curl, except for those of other protocols that have clients of their own. */
export async function visitHttp(tour: Tour, curl: Curl, folder: string): Promise<void> {
  tour.begin("HTTP, with curl");
  const visit = new HttpVisit(tour, curl);
  // All at once, because the offline model pauses before each word.
  await Promise.all(
    Object.entries(questions).map(async ([name, [input, answer]]) => {
      await visit.runAndStream(name, input, answer);
      if (typeof input === "string") await visit.chatOfAiSdk(name, input);
    }),
  );
  for (const [name, header] of keyHeaders) {
    await visit.see(`POST /agents/${name}/run`, { status: 401, answer: new RegExp(header), body: { input: "Hi" } });
    await visit.see(`POST /agents/${name}/stream`, { status: 401, answer: new RegExp(header), body: { input: "Hi" } });
    await visit.chatOfAiSdk(`agents/${name}`, "Hi", { status: 401, answer: new RegExp(header) });
  }
  await visit.waitingChats();
  await visit.lists();
  await visit.session(folder);
  await visit.runsAndQuestions();
  await visit.openAiClients();
}

type Sight = {
  readonly status?: number;
  readonly answer?: RegExp;
  readonly body?: unknown;
  readonly args?: readonly string[];
};

class HttpVisit {
  readonly #tour: Tour;
  readonly #curl: Curl;

  constructor(tour: Tour, curl: Curl) {
    this.#tour = tour;
    this.#curl = curl;
  }

  /** Sends a request whose answer has this status and matches a pattern. Returns what the first group of the pattern found. */
  async see(target: string, { status = 200, answer = /^/, body, args = [] }: Sight = {}): Promise<string> {
    let found = "";
    await this.#tour.step(target, async () => {
      const seen = await this.#curl.send(target, body, ...args);
      const match = answer.exec(seen.text);
      expect(seen.status === status && match !== null, `${seen.status} ${seen.text}`);
      found = match[1] ?? "";
      return `${seen.status} ${seen.text}`;
    });
    return found;
  }

  async runAndStream(name: string, input: unknown, answer: RegExp): Promise<void> {
    await this.see(`POST /${name}/run`, { answer, body: { input } });
    const target = `POST /${name}/stream`;
    await this.#tour.step(target, async () => {
      const seen = await this.#curl.send(target, { input });
      const types = chunksOf(seen).map(({ type }) => type);
      expect(seen.status === 200 && types.length > 1 && !types.includes("error"), seen.text);
      expect(name.startsWith("workflows") || types.at(-1) === "finish", seen.text);
      return `${types.length} chunks: ${[...new Set(types)].join(", ")}`;
    });
  }

  /** Visits the paths of `useChat`: sends a message, asks for an answer that has ended meanwhile, and stops it. */
  async chatOfAiSdk(name: string, text: string, sight: Sight = { answer: /"type":"finish"/ }): Promise<void> {
    const id = `tour-${name.replace("/", "-")}`;
    await this.see(`POST /${name}/ui`, { ...sight, body: chatOf(id, text) });
    await this.see(`GET /${name}/ui/${id}/stream`, { status: 204 });
    await this.see(`POST /${name}/ui/${id}/stop`, { status: 204 });
  }

  /** Chats that wait for an approval: a page that is loaded anew comes back to one and gives it, another is stopped. */
  async waitingChats(): Promise<void> {
    const path = "/agents/assistant/ui";
    const asked = { answer: /"messageId":"([^"]+)"[^]*"type":"tool-approval-request"/ };
    const book = (id: string): Promise<string> =>
      this.see(`POST ${path}`, { ...asked, body: chatOf(id, "Book a room in Oslo.") });
    const runId = await book("tour-booking");
    await this.see(`GET ${path}/tour-booking/stream`, asked);
    const approval = { id: "t.0.0", approved: true };
    const part = { type: "tool-book_room", toolCallId: "t.0.0", state: "approval-responded", approval };
    const message = { id: runId, role: "assistant", parts: [part] };
    await this.see(`POST ${path}`, { answer: /Room \d+ in Oslo/, body: { id: "tour-booking", message } });
    await book("tour-stopped");
    await this.see(`POST ${path}/tour-stopped/stop`, { status: 204 });
    await this.see(`GET ${path}/tour-stopped/stream`, { status: 204 });
  }

  async lists(): Promise<void> {
    await this.see("GET /", { answer: /POST \/a2a/ });
    await this.see("GET /?for=browsers", { answer: /<!doctype html>/i, args: ["-H", "accept: text/html"] });
    await this.see("GET /agents", { answer: /"assistant"/ });
    await this.see("GET /teams", { answer: /"city-guides"/ });
    await this.see("GET /workflows", { answer: /"morning-briefing"/ });
    await this.see("GET /health", { answer: /"ok"/ });
    await this.see("GET /ready", { answer: /"ready"/ });
    await this.see("GET /docs", { answer: /<html/ });
    await this.see("GET /docs/spec.json", { answer: /"openapi":"3\.0\.3"/ });
    await this.see("GET /nowhere", { status: 404, answer: /"not_found"/ });
    await this.see("POST /agents/nobody/run", { status: 404, answer: /"not_found"/, body: { input: "Hi" } });
    await this.see("POST /agents/assistant/run", { status: 400, answer: /"invalid_request"/, body: { inptu: "Hi" } });
  }

  /** A session of a user: its turns, a file in it, its title, and its end. */
  async session(folder: string): Promise<void> {
    const args = ["-H", "x-demo-user: ada"];
    const file = join(folder, "notes.txt");
    writeFileSync(file, "A file that is stored in pieces beside its turn. ".repeat(600));
    const form = [
      "-F",
      "input=What is my name, and what is this?",
      "-F",
      "sessionId=tour",
      "-F",
      `files=@${file};type=text/plain`,
    ];
    await this.see("POST /agents/assistant/run", {
      answer: /Nice/,
      body: { input: "I am Ada.", sessionId: "tour" },
      args,
    });
    await this.see("POST /agents/assistant/run", { answer: /Your name is Ada.*notes\.txt/, args: [...args, ...form] });
    await this.see("GET /sessions", { answer: /"sessionId":"tour"/, args });
    await this.see("GET /sessions", { status: 401, answer: /"unauthorized"/ });
    await this.see("PATCH /sessions/tour", { answer: /The tour/, body: { title: "The tour" }, args });
    await this.see("GET /sessions/tour", { answer: /"title":"The tour"/, args });
    const index = await this.see("GET /sessions/tour/turns", { answer: /"stored":\{"index":(\d+)/, args });
    await this.see(`GET /sessions/tour/turns/2/parts/${index}`, { answer: /^A file that is stored/, args });
    await this.see("DELETE /sessions/tour/turns?from=2", { status: 204, args });
    await this.see("DELETE /sessions/tour", { status: 204, args });
    await this.see("GET /sessions/tour", { status: 404, args });
  }

  /** Runs that outlive their request: one in the background, one that asks and gets a signal, one that is cancelled. */
  async runsAndQuestions(): Promise<void> {
    const args = ["-H", "x-demo-user: ada"];
    const inBackground = [...args, "-H", "prefer: respond-async"];
    const accepted = { status: 202, answer: /"runId":"([^"]+)"/ };
    const booking = await this.see("POST /agents/assistant/run", {
      ...accepted,
      body: { input: "Book a room in Oslo." },
      args,
    });
    await this.see("GET /runs?status=waiting", { answer: new RegExp(booking), args });
    const signal = { event: "paid", data: { amount: 20 }, id: "payment-7" };
    await this.see(`POST /runs/${booking}/signals`, { status: 204, body: signal, args });
    await this.see(`POST /runs/${booking}/answers/t.0.0`, { status: 204, body: { approved: true }, args });
    await this.see(`GET /runs/${booking}/events`, { answer: /Room \d+ in Oslo|"text":"Room"/, args });
    await this.see(`GET /runs/${booking}`, { answer: /Room \d+ in Oslo is booked/, args });
    await this.see(`GET /runs/${booking}/deliveries`, { answer: /"deliveries":\[/, args });
    await this.see(`POST /runs/${booking}/signals`, { status: 409, answer: /"conflict"/, body: signal, args });
    const counting = await this.see("POST /agents/assistant/run", {
      ...accepted,
      body: { input: "Count to 500" },
      args: inBackground,
    });
    await this.see(`POST /runs/${counting}/cancel`, { answer: /"cancel/, args });
    await this.see(`GET /runs/${counting}/events`, { answer: /"cancelled"/, args });
    await this.see(`DELETE /runs/${counting}`, { status: 204, args });
    await this.see(`GET /runs/${counting}`, { status: 404, args });
    await this.#visitSchedules(args);
  }

  /** Makes a schedule, pauses it, and removes it. */
  async #visitSchedules(args: readonly string[]): Promise<void> {
    const body = {
      kind: "agent",
      name: "assistant",
      input: "Good morning.",
      cron: "0 8 * * *",
      timeZone: "Europe/Oslo",
    };
    await this.see("POST /schedules", { status: 401, body });
    const id = await this.see("POST /schedules", { status: 201, answer: /"id":"([^"]+)".*"nextAt":/, body, args });
    const again = { status: 201, body, args: [...args, "-H", "idempotency-key: daily"] };
    const kept = await this.see("POST /schedules", { ...again, answer: /"id":"([^"]+)"/ });
    await this.see("POST /schedules", { ...again, answer: new RegExp(`"id":"${kept}"`) });
    await this.see(`DELETE /schedules/${kept}`, { status: 204, args });
    await this.see("GET /schedules", { answer: /"cron":"0 8 \* \* \*"/, args });
    await this.see(`PATCH /schedules/${id}`, { answer: /"status":"paused"/, body: { status: "paused" }, args });
    await this.see(`GET /schedules/${id}`, { answer: /"status":"paused"/, args });
    await this.see(`GET /schedules/${id}`, { status: 404, args: ["-H", "x-demo-user: bob"] });
    await this.see(`DELETE /schedules/${id}`, { status: 204, args });
  }

  /** Sends what clients of OpenAI's API send: a chat completion, and responses that are read, cancelled and deleted. */
  async openAiClients(): Promise<void> {
    const args = ["-H", "x-demo-user: ada"];
    const model = "assistant";
    const messages = [{ role: "user", content: "What is 2 + 3?" }];
    await this.see("GET /v1/models", { answer: /"id":"assistant"/, args });
    await this.see("GET /v1/models/assistant", { answer: /"object":"model"/, args });
    await this.see("POST /v1/chat/completions", { answer: /"chat\.completion"/, body: { model, messages }, args });
    const first = await this.see("POST /v1/responses", {
      answer: /"id":"(resp_[^"]+)"/,
      body: { model, input: "I am Ada." },
      args,
    });
    await this.see(`GET /v1/responses/${first}`, { answer: /"completed"/, args });
    await this.see(`GET /v1/responses/${first}/input_items`, { answer: /I am Ada\./, args });
    await this.see("POST /v1/responses/compact", { status: 400, answer: /"error"/, body: { model }, args });
    const counting = await this.see("POST /v1/responses", {
      answer: /"id":"(resp_[^"]+)"/,
      body: { model, input: "Count to 500", background: true },
      args,
    });
    await this.see(`POST /v1/responses/${counting}/cancel`, { answer: /"id":"resp_/, args });
    await this.see(`DELETE /v1/responses/${first}`, { answer: /"deleted":true/, args });
  }
}

function chatOf(id: string, text: string): object {
  return { id, message: { id: "1", role: "user", parts: [{ type: "text", text }] } };
}
