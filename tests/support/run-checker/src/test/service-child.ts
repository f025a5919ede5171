// A service whose transport is IPC: it receives `{ ask, sessionId }` and sends `{ answer, runId }`.
import type { ExecutableTool, Runnable } from "@troupe/core";
import { createKillPoints, JournalStorage, reportToParent } from "@troupe-internal/fault-tools";
import { MinimalProvider } from "@troupe-internal/vendor-fakes";
import { createSmallAgent } from "./small-agent.ts";

const [journal = "", vendorUrl = "", manner = ""] = process.argv.slice(2);
const points = createKillPoints(reportToParent());
const tool: ExecutableTool = {
  name: "weather",
  description: "",
  parameters: { type: "object" },
  execute: () => "rain",
};
const agent = points.runnable(
  createSmallAgent({
    model: points.model(new MinimalProvider({ url: vendorUrl, apiKey: "key" })),
    tool: points.tool(tool),
    storage: points.storage(new JournalStorage(journal)),
    isHasty: manner === "hasty",
  }) as Runnable,
);

process.on("message", (message: { ask?: string; sessionId?: string }) => {
  const { ask, sessionId = "" } = message;
  if (ask === undefined) return;
  agent.run(ask, { sessionId }).then(
    ({ runId, text }) => process.send?.({ answer: text, runId }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.send?.({ ready: true });
