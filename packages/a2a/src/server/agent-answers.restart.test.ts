import { InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { Runnable, StorageDriver } from "@troupe/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { completedReply, rejectedReply } from "../agent/reply.ts";
import { createArtifact } from "../agent/artifact.ts";
import { ProgrammaticAgent } from "../agent/programmatic-agent.ts";
import type { A2AReply } from "../agent/reply.ts";
import { firstOf, message0, serveA2A, textsOf } from "../../test/serve-a2a.ts";

describe("what an agent has said, after a restart", () => {
  it.each([
    ["rejected", rejectedReply("No.")],
    ["completed", completedReply("Yes.")],
  ])(
    "is the same for a task that is %s, which its client answered before [a2a.agent-restart]",
    async (state, reply) => {
      const storage = new InMemoryStorage();
      const make = () =>
        new ProgrammaticAgent({
          name: "helper",
          async *answer({ ask }) {
            yield createArtifact({ artifactId: "plan", parts: "a plan" });
            yield "First. ";
            await ask("Go on?");
            yield "Second.";
            return reply;
          },
        });
      const first = await serveDurable(storage, make());
      const begun = await Array.fromAsync(first.served.stream("message/stream", message0("Begin")));
      expect(textsOf(begun)).toEqual(["a plan", "First. "]);
      const { id } = begun[0] ?? { id: "" };
      await first.end();

      const second = await serveDurable(storage, make());
      const stream = second.served.stream("tasks/resubscribe", { id });
      expect((await firstOf(stream)).status.state).toBe("input-required");
      await second.served.call("message/send", message0("Yes", { taskId: id }));
      const rest = await Array.fromAsync(stream);
      expect(rest.at(-1)).toMatchObject({ final: true, status: { state, message: { parts: partsOf(reply) } } });
      const { result } = await second.served.call("tasks/get", { id });
      await second.end();

      const third = await serveDurable(storage, make());
      expect((await third.served.call("tasks/get", { id })).result).toEqual(result);
      expect(result.artifacts.map(({ artifactId }) => artifactId)).toContain("plan");
      await third.end();
    },
  );
});

function partsOf({ content }: A2AReply): object[] {
  return [{ kind: "text", text: content }];
}

async function serveDurable(storage: StorageDriver, agent: Runnable) {
  const runs = new RunService({ storage, agents: { helper: agent } });
  onTestFinished(async () => await runs.close());
  await runs.serve();
  const served = await serveA2A({ agents: { helper: agent }, runs });
  const end = async (): Promise<void> => {
    await runs.close();
    await served.close();
  };
  return { served, end };
}
