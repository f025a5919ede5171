import { InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { describe, expect, it, onTestFinished } from "vitest";
import { receive, tokenOf } from "../../test/receiver.ts";
import { notify0, notify1, pay, serveWith, toolCalls } from "../../test/serve-push.ts";
import { message0, message1, scriptedAgent, untilState } from "../../test/serve-a2a.ts";

/** Starts a receiver that refuses the first of two senders from its third notification on. */
async function receiveTwo() {
  let firstKey: unknown;
  const receiver = await receive((index, notified) => {
    firstKey ??= tokenOf(notified)["kid"];
    return index >= 2 && tokenOf(notified)["kid"] === firstKey ? 503 : 204;
  });
  const ofSecond = () => receiver.notified.filter((each) => tokenOf(each)["kid"] !== firstKey);
  return { receiver, ofSecond };
}

describe("push notifications of a durable task", () => {
  it("go on in another process behind what was acknowledged [a2a.push-restart]", async () => {
    const { receiver, ofSecond } = await receiveTwo();
    const storage = new InMemoryStorage();
    const sealKeys = ["a secret with which addresses are sealed"];
    const makeAgent = (answers: Parameters<typeof scriptedAgent>[0]) =>
      scriptedAgent(answers, { storage, tools: [pay] });
    const agents = { helper: makeAgent([{ toolCalls }, { text: "Paid." }]) };
    const first = new RunService({ storage, agents, sealKeys });
    await first.serve();
    const { served } = await serveWith([receiver], { agents, runs: first }, { maxAttempts: 1000 });
    const { result } = await served.call("message/send", { ...message0("Pay"), ...notify0(receiver.url) });
    await receiver.until(2);
    await first.answer(result.id, "t.0.0", { approved: true }, "host");
    await untilState(served, result.id, "completed");
    await first.close();
    await served.close();

    const others = { helper: makeAgent([]) };
    const second = new RunService({ storage, agents: others, sealKeys });
    onTestFinished(async () => await second.close());
    await serveWith([receiver], { agents: others, runs: second });
    while (ofSecond().length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(receiver.notified.slice(0, 2).map(({ body }) => body.status.state)).toEqual(["working", "input-required"]);
    expect(ofSecond().map(({ body }) => body.status.state)).toEqual(["working", "completed"]);
    const stored = JSON.stringify(await storage.list("webhooks"));
    expect(stored).not.toContain(receiver.host);
  });

  it("do not send the artifacts of an end again that a receiver has, before the status that it has not [a2a.push-restart]", async () => {
    const { receiver, ofSecond } = await receiveTwo();
    const storage = new InMemoryStorage();
    const sealKeys = ["a secret with which addresses are sealed"];
    const agents = { helper: scriptedAgent([{ text: "Done." }], { storage }) };
    const first = new RunService({ storage, agents, sealKeys });
    await first.serve();
    const { served } = await serveWith([receiver], { agents, runs: first }, { maxAttempts: 1000 });
    await served.call("SendMessage", { ...message1("Hi"), ...notify1(receiver.url) });
    // The third is refused: the status after the artifact.
    await receiver.until(3);
    await first.close();
    await served.close();

    const second = new RunService({ storage, agents, sealKeys });
    onTestFinished(async () => await second.close());
    await serveWith([receiver], { agents, runs: second });
    while (ofSecond().length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    const kinds = (all: readonly { body: object }[]) => all.map(({ body }) => Object.keys(body)[0]);
    expect(kinds(receiver.notified.slice(0, 3))).toEqual(["statusUpdate", "artifactUpdate", "statusUpdate"]);
    expect(kinds(ofSecond())).toEqual(["statusUpdate"]);
  });
});
