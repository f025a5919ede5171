import { Agent, InMemoryStorage, SessionStore } from "@troupe/core";
import { answerRounds } from "../answer-rounds.ts";
import { FixedModel } from "./fixed-model.ts";

/** One unit is a turn in a session that has BENCH_TURNS turns already, of which twenty are loaded. */
const turns = Number(process.env["BENCH_TURNS"] ?? "1");
const storage = new InMemoryStorage();
const sessionId = "long";
const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };

const session = await new SessionStore(storage).open(sessionId);
for (let at = 0; at < turns; at++) {
  const answer = { role: "assistant" as const, content: `Answer ${at}.` };
  const input = `Question ${at}?`;
  await session.appendTurn({
    runId: `run-${at}`,
    runnable: "bench",
    input,
    messages: [answer],
    status: "completed",
    usage,
  });
}
session.release();

const agent = new Agent({ name: "bench", model: new FixedModel(), storage, numHistoryRuns: 20 });
answerRounds(async (count) => {
  for (let at = 0; at < count; at++) await agent.run("Tell me something.", { sessionId });
});
