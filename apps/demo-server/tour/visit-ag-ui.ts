import { HttpAgent } from "ag-ui-client-1";
import type { RunAgentParameters } from "ag-ui-client-1";
import type { Curl } from "./curl.ts";
import { keyHeaders, questions } from "./questions.ts";
import { expect } from "./tour.ts";
import type { Tour } from "./tour.ts";

/** An event that the client has received. */
type Received = { readonly type: string; readonly [field: string]: unknown };

/** Drives every agent, team and workflow over AG-UI with the official client. */
export async function visitAgUi(tour: Tour, url: string, curl: Curl): Promise<void> {
  tour.begin("AG-UI, with @ag-ui/client");
  const visit = new AgUiVisit(tour, { url, curl });
  // All at once, because the offline model pauses before each word.
  await Promise.all(
    Object.entries(questions).map(async ([path, [input, answer]]) => await visit.run(path, input, answer)),
  );
  for (const [name, header] of keyHeaders) await visit.missKey(`agents/${name}`, header);
  await visit.approve();
}

class AgUiVisit {
  readonly #tour: Tour;
  readonly #url: string;
  readonly #curl: Curl;

  constructor(tour: Tour, { url, curl }: { url: string; curl: Curl }) {
    this.#tour = tour;
    this.#url = url;
    this.#curl = curl;
  }

  /** Makes a client that asks what is served at a path. A workflow gets an object as the client's state. */
  #open(path: string, input: unknown): HttpAgent {
    this.#curl.note(`POST /agui/${path}`);
    const url = `${this.#url}/agui/${path}`;
    const isText = typeof input === "string";
    const agent = new HttpAgent({
      url,
      threadId: `tour-${path.replace("/", "-")}`,
      ...(!isText && { initialState: input }),
    });
    if (isText) agent.addMessage({ id: "u1", role: "user", content: input });
    return agent;
  }

  async run(path: string, input: unknown, answer: RegExp): Promise<void> {
    await this.#tour.step(`POST /agui/${path}`, async () => {
      const agent = this.#open(path, input);
      const events = await eventsOf(agent);
      expect(events.at(-1)?.type === "RUN_FINISHED", events.at(-1));
      const said = JSON.stringify([agent.messages.at(-1)?.content, agent.state]);
      expect(answer.test(said.replaceAll('\\"', '"')), said);
      return typesOf(events);
    });
  }

  /** Asks an agent whose vendor needs a key that the request lacks. */
  async missKey(path: string, header: string): Promise<void> {
    await this.#tour.step(`POST /agui/${path}`, async () => {
      const last = (await eventsOf(this.#open(path, "Hi"))).at(-1);
      expect(last?.type === "RUN_ERROR" && last["code"] === "unauthorized", last);
      expect(String(last["message"]).includes(header), last);
      return JSON.stringify(last);
    });
  }

  /** Runs an agent until it asks for an approval, and resumes it with that. */
  async approve(): Promise<void> {
    await this.#tour.step("an interrupt, and its resumption", async () => {
      const agent = this.#open("agents/concierge", "Book a room in Oslo.");
      agent.threadId = "tour-interrupted";
      const asked = (await eventsOf(agent)).at(-1);
      const { interrupts: [interrupt] = [] } = Object(asked?.["outcome"]) as { interrupts?: { id: string }[] };
      expect(interrupt !== undefined, asked);
      const payload = { approved: true };
      const events = await eventsOf(agent, { resume: [{ interruptId: interrupt.id, status: "resolved", payload }] });
      const said = JSON.stringify(agent.messages.at(-1)?.content);
      expect(/Room \d+ in Oslo is booked/.test(said), events);
      return said;
    });
  }
}

/** Runs an agent, and returns the events that its client has received. */
async function eventsOf(agent: HttpAgent, parameters: RunAgentParameters = {}): Promise<Received[]> {
  const events: Received[] = [];
  await agent.runAgent(parameters, { onEvent: ({ event }) => void events.push(event) });
  return events;
}

function typesOf(events: readonly Received[]): string {
  return `${events.length} events: ${[...new Set(events.map(({ type }) => type))].join(", ")}`;
}
