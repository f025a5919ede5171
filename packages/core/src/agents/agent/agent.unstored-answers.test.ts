import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { readAll } from "../../testing/conformance/runnable-subject.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "./agent.ts";
import type { AgentConfig } from "./agent-config.ts";
import { callOf, look } from "./test/agents.ts";

/** A storage that stores everything but turns, while it is broken. */
function turnlessStorage() {
  const state = { isBroken: true };
  const storage = faultyStorage(new InMemoryStorage(), ({ method, args }) => {
    const isWrite = /append|insert|set|transaction/.test(method);
    return state.isBroken && isWrite && /^\["turns"|"namespace":"turns"/.test(JSON.stringify(args))
      ? "fail-before"
      : undefined;
  });
  return { state, storage };
}

function agentWith(config: Partial<AgentConfig>, ...script: ConstructorParameters<typeof ScriptedModel>) {
  const model = new ScriptedModel(...script);
  const agent = new Agent({ name: "a", model, tools: [look], ...config });
  const warnings: unknown[] = [];
  agent.eventBus.on("run.warning", ({ code, fields }) => warnings.push([code, fields?.["error"]]));
  return { agent, model, warnings };
}

const notStored = ["turn_not_stored", "The storage cannot be used at the moment."];
const asks = { toolCalls: [callOf("1")] };

describe("an answer whose turn cannot be stored", () => {
  it.each(["run", "stream"] as const)(
    "is delivered with stored: false where that is chosen (%s) [storage-failure.answer]",
    async (way) => {
      const { state, storage } = turnlessStorage();
      const { agent, model, warnings } = agentWith(
        { storage, onStorageFailure: "answer" },
        asks,
        "Done.",
        "Again.",
        "Well.",
      );
      const stream = agent.stream("Look.", { sessionId: "s" });
      const chunks = way === "stream" ? await readAll(stream) : [];
      const output = way === "stream" ? await stream.output : await agent.run("Look.", { sessionId: "s" });

      expect(output).toMatchObject({ status: "completed", text: "Done.", stored: false });
      const last = { type: "finish", finishReason: "stop", stored: false };
      expect(chunks.slice(-1)).toMatchObject(way === "stream" ? [last] : []);
      expect(warnings).toEqual([notStored]);

      state.isBroken = false;
      const later = await agent.run("And now?", { sessionId: "s" });
      expect(later).not.toHaveProperty("stored");
      expect(JSON.stringify(model.calls.at(-1)?.messages)).not.toContain("Done.");
      expect((await agent.sessions.readTurns("s")).turns.map(({ runId }) => runId)).toEqual([later.runId]);
    },
  );

  it.each([undefined, "error"] as const)(
    "fails its run otherwise (onStorageFailure: %s) [storage-failure.answer]",
    async (onStorageFailure) => {
      const { storage } = turnlessStorage();
      const { agent } = agentWith({ storage, onStorageFailure }, "Done.");

      await expect(agent.run("Look.")).rejects.toMatchObject({
        code: "storage_unavailable",
        output: { status: "error", text: "Done." },
      });
    },
  );

  it("still ends as cancelled when the run is cancelled while it is being stored [storage-failure.answer]", async () => {
    const controller = new AbortController();
    const storage = faultyStorage(new InMemoryStorage(), ({ method, args }) => {
      if (!/append|insert|transaction/.test(method) || !/^\["turns"|"namespace":"turns"/.test(JSON.stringify(args)))
        return undefined;
      controller.abort();
      return "fail-before";
    });
    const { agent } = agentWith({ storage, onStorageFailure: "answer" }, "Done.");

    await expect(agent.run("Look.", { signal: controller.signal })).rejects.toMatchObject({
      output: { status: "error" },
    });
  });

  it("does not hide that a session could not be opened: then there is no answer [storage-failure.answer]", async () => {
    const storage = faultyStorage(new InMemoryStorage(), () => "fail-before");
    const { agent, model } = agentWith({ storage, onStorageFailure: "answer" }, "Done.");

    await expect(agent.run("Look.", { sessionId: "s" })).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(model.calls).toHaveLength(0);
  });

  it("is a choice that is checked [storage-failure.answer]", () => {
    expect(() => agentWith({ onStorageFailure: "ignore" as "answer" })).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining("onStorageFailure") }),
    );
  });
});
