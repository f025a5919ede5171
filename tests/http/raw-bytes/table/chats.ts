import { as, get, post, send } from "./entry.ts";
import type { Entry } from "./entry.ts";

const asked = { id: "m1", role: "user", parts: [{ type: "text", text: "Hello" }] };
const chat = (id: string, text: string) => ({ id, message: { ...asked, parts: [{ type: "text", text }] } });

/** The streams of `useChat`, which are resumed and stopped. */
export const chatEntries: readonly Entry[] = [
  { title: "chat", request: post("/agents/helper/ui", { id: "c1", messages: [asked] }, as("ada")) },
  { title: "chat: the last message alone", request: post("/agents/helper/ui", chat("c1", "Again"), as("ada")) },
  { title: "chat: a tool", request: post("/agents/helper/ui", chat("c2", "weather"), as("ada")) },
  { title: "chat: structured output", request: post("/agents/typed/ui", chat("c3", "Who?"), as("ada")) },
  { title: "chat: a failure", request: post("/agents/failing/ui", chat("c4", "Hi"), as("ada")) },
  { title: "chat: a durable agent", request: post("/agents/writer/ui", chat("c5", "Hi"), as("ada")) },
  { title: "chat: a team", request: post("/teams/desk/ui", chat("c6", "Hi"), as("ada")) },
  {
    title: "chat: an answer again",
    request: post("/agents/helper/ui", { id: "c1", messages: [asked], trigger: "regenerate-message" }, as("ada")),
  },
  { title: "chat: a workflow", request: post("/workflows/counter/ui", chat("c7", "Hi"), as("ada")) },
  { title: "chat: an unknown agent", request: post("/agents/nobody/ui", chat("c7", "Hi"), as("ada")) },
  { title: "chat: no body", request: post("/agents/helper/ui", "", as("ada")) },
  { title: "chat: no messages", request: post("/agents/helper/ui", { id: "c7" }, as("ada")) },
  { title: "chat: an unknown field", request: post("/agents/helper/ui", { ...chat("c7", "Hi"), x: 1 }, as("ada")) },
  {
    title: "chat: a wrong trigger",
    request: post("/agents/helper/ui", { ...chat("c7", "Hi"), trigger: "x" }, as("ada")),
  },
  {
    title: "chat: a system message",
    request: post("/agents/helper/ui", { id: "c7", message: { ...asked, role: "system" } }, as("ada")),
  },
  { title: "chat: GET", request: get("/agents/helper/ui", as("ada")) },
  { title: "chat: an approval", request: post("/agents/cashier/ui", chat("c8", "pay"), as("ada")) },
  {
    title: "chat: the answer to it",
    request: (seen) => {
      const part = { type: "tool-pay", toolCallId: "1", state: "approval-responded" };
      const id = seen.match("chat: an approval", /"approvalId":"([^"]+)"/);
      const runId = seen.header("chat: an approval", "x-run-id");
      const message = { id: runId, role: "assistant", parts: [{ ...part, approval: { id, approved: true } }] };
      return post("/agents/cashier/ui", { id: "c8", message }, as("ada"));
    },
  },
  {
    title: "chat: an answer to nothing",
    request: (seen) => {
      const id = seen.header("chat: an approval", "x-run-id");
      return post("/agents/cashier/ui", { id: "c8", message: { id, role: "assistant", parts: [] } }, as("ada"));
    },
  },
  {
    title: "chat: one that hangs",
    request: post("/agents/hanging/ui", chat("c9", "Hi"), as("ada")),
    goOnAt: '"So "',
  },
  { title: "chat: resumed", request: get("/agents/hanging/ui/c9/stream", as("ada")), goOnAt: '"So "' },
  { title: "chat: resumed: HEAD", request: send("HEAD /agents/hanging/ui/c9/stream", as("ada")) },
  { title: "chat: resumed by another user", request: get("/agents/hanging/ui/c9/stream", as("bob")) },
  { title: "chat: resumed at another agent", request: get("/agents/helper/ui/c9/stream", as("ada")) },
  { title: "chat: resumed: POST", request: post("/agents/hanging/ui/c9/stream", {}, as("ada")) },
  { title: "chat: resumed: a wrong id", request: get("/agents/hanging/ui/a%23b/stream", as("ada")) },
  {
    title: "chat: stopped by a wrong id",
    request: post("/agents/hanging/ui/c9/stop", { activeStreamId: 1 }, as("ada")),
  },
  {
    title: "chat: stopped with another stream",
    request: post("/agents/hanging/ui/c9/stop", { activeStreamId: "x" }, as("ada")),
  },
  { title: "chat: stopped: GET", request: get("/agents/hanging/ui/c9/stop", as("ada")) },
  { title: "chat: stopped", request: post("/agents/hanging/ui/c9/stop", {}, as("ada")) },
  { title: "chat: stopped: nothing", request: post("/agents/hanging/ui/c10/stop", {}, as("ada")) },
];
