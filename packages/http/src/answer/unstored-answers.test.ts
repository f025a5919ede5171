import { Agent, InMemoryStorage, Team, Workflow } from "@troupe/core";
import { faultyStorage, ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { post, readFrames } from "../../test/clients.ts";
import { serve } from "../../test/serve-agent.ts";

/** Serves an agent, a team and a workflow whose turns cannot be stored. */
async function serveUnstored(onStorageFailure?: "answer") {
  const storage = faultyStorage(new InMemoryStorage(), ({ method, args }) => {
    const isWrite = /append|insert|set|transaction/.test(method);
    return isWrite && /^\["turns"|"namespace":"turns"/.test(JSON.stringify(args)) ? "fail-before" : undefined;
  });
  const model = () => new ScriptedModel("Hi.", "Hi.");
  const agent = () => new Agent({ name: "a", model: model(), storage, onStorageFailure });
  const members = [new Agent({ name: "b", model: model() })];
  const team = new Team({ name: "t", mode: "coordinate", model: model(), members, storage, onStorageFailure });
  const workflow = new Workflow({ name: "w", initialState: {}, steps: [{ name: "ask", agent: agent() }] });
  return await serve({ agent: agent(), teams: { t: team }, workflow });
}

const body = '{"input":"Hello?"}';

describe("an answer that could not be stored", () => {
  it.each(["/agents/a", "/teams/t", "/workflows/w"])(
    "is sent with 200 and stored: false where that is chosen: %s [storage-failure.answer]",
    async (path) => {
      const service = await serveUnstored("answer");
      const answer = await post(service, `${path}/run`, { body });
      const frames = await readFrames(await post(service, `${path}/stream`, { body }));

      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ status: "completed", stored: false });
      const last = frames.at(-1)?.data;
      expect(path === "/workflows/w" ? (last as { result?: unknown }).result : last).toMatchObject({ stored: false });
      expect(last?.type).toBe("finish");
    },
  );

  it.each(["/agents/a", "/teams/t", "/workflows/w"])(
    "is an error otherwise: %s [storage-failure.answer]",
    async (path) => {
      const service = await serveUnstored();
      const answer = await post(service, `${path}/run`, { body });
      const frames = await readFrames(await post(service, `${path}/stream`, { body }));

      expect(answer.status).toBe(503);
      expect(frames.at(-1)?.data).toMatchObject({ type: "error", error: { code: "storage_unavailable" } });
    },
  );
});
