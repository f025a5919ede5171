import { once } from "node:events";
import { findRunnable, readMessage, toPublicEvent, toPublicFailure } from "@troupe/core/transport";
import type { Exchange, Protocol, Service } from "@troupe/core/transport";

// #region readme
/** A protocol of a third party: `POST /ask/:name` runs an agent and answers with its events, one JSON object a line. */
export function lines(): Protocol {
  return {
    name: "lines",
    routes: (service) => [{ path: "/ask/:name", post: async (exchange) => await answer(exchange, service) }],
  };
}

async function answer(exchange: Exchange, service: Service): Promise<void> {
  const name = String(exchange.params["name"]);
  const agent = findRunnable(service.agents, name);
  const readFields = async () => (await exchange.readJsonObject({ maxBytes: 65_536 })) ?? {};
  const requested = await service.readRun(exchange, agent, { readInput: readMessage, readFields });
  const run = await service.servedRuns.begin(requested, { kind: "agent", name });
  exchange.onClose(() => run.disconnect());
  const stream = exchange.openStream(200, { "Content-Type": "application/x-ndjson", "X-Run-Id": run.runId });
  for await (const event of run.events()) {
    const data = event.type === "failure" ? { error: toPublicFailure(event.error) } : toPublicEvent(event, run);
    if (data === undefined || stream.write(`${JSON.stringify(data)}\n`)) continue;
    // No faster than the client reads, so that the vendor is read no faster either.
    await once(stream, "drain", { signal: exchange.signal }).catch(() => undefined);
  }
  stream.end();
}
// #endregion
