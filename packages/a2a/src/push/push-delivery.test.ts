import { generateKeyPairSync } from "node:crypto";
import { InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { letRun } from "@troupe-internal/interleavings";
import { describe, expect, it, onTestFinished } from "vitest";
import { receive, tokenOf, verifyNotification } from "../../test/receiver.ts";
import { notify0, notify1, pay, serveWith, toolCalls } from "../../test/serve-push.ts";
import { heldAgent, message0, message1, scriptedAgent, untilState } from "../../test/serve-a2a.ts";

describe("push notifications of a task", () => {
  it("are the whole task in 0.x, in the order of its states [a2a.push-body-0]", async () => {
    const receiver = await receive();
    const agents = { helper: scriptedAgent([{ toolCalls }, { text: "Paid." }], { tools: [pay] }) };
    const { served } = await serveWith([receiver], { agents });
    const { result } = await served.call("message/send", { ...message0("Pay"), ...notify0(receiver.url) });
    await receiver.until(2);
    await served.call("message/send", message0("yes", { taskId: result.id }));
    const notified = await receiver.until(4);

    expect(notified.map(({ body }) => body.status.state)).toEqual([
      "working",
      "input-required",
      "working",
      "completed",
    ]);
    for (const { body, headers } of notified) {
      expect(body).toMatchObject({ kind: "task", id: result.id, contextId: result.contextId });
      expect(headers["content-type"]).toBe("application/json");
    }
    expect(notified[1]?.body).toEqual(result);
    const { result: task } = await served.call("tasks/get", { id: result.id });
    expect(notified.at(-1)?.body).toEqual(task);
  });

  it("PUSH-DELIVER-002, PUSH-DELIVER-003: are events as a stream has them in 1.0 [a2a.push-body-1]", async () => {
    const receiver = await receive();
    const agents = { helper: scriptedAgent([{ text: "Good day." }]) };
    const { served } = await serveWith([receiver], { agents });
    const { result } = await served.call("SendMessage", { ...message1("Hi"), ...notify1(receiver.url) });
    const notified = await receiver.until(3);
    const taskId = result.task.id;
    expect(notified.map(({ body }) => body)).toEqual([
      {
        statusUpdate: {
          taskId,
          contextId: result.task.contextId,
          status: expect.objectContaining({ state: "TASK_STATE_WORKING" }),
        },
      },
      {
        artifactUpdate: {
          taskId,
          contextId: result.task.contextId,
          artifact: result.task.artifacts[0],
          lastChunk: true,
        },
      },
      { statusUpdate: { taskId, contextId: result.task.contextId, status: result.task.status } },
    ]);
    for (const { headers } of notified) expect(headers["content-type"]).toBe("application/a2a+json");
  });

  it("each receiver gets those of the version that its config came in [a2a.push-body-0]", async () => {
    const [old, young] = [await receive(), await receive()];
    const { agent, release } = heldAgent();
    const { served } = await serveWith([old, young], { agents: { helper: agent } });
    const begun = await served.call("message/send", { ...message0("Hi"), configuration: { blocking: false } });
    const taskId = begun.result.id;
    await untilState(served, taskId, "working");
    await served.call("tasks/pushNotificationConfig/set", { taskId, pushNotificationConfig: { url: old.url } });
    await served.call("CreateTaskPushNotificationConfig", { taskId, url: young.url });
    release();
    // What came before a config was set is not sent.
    expect((await old.until(1)).map(({ body }) => body.status.state)).toEqual(["completed"]);
    expect((await young.until(2)).map(({ body }) => Object.keys(body))).toEqual([["artifactUpdate"], ["statusUpdate"]]);
  });
});

describe("a push notification", () => {
  it("PUSH-DELIVER-001: has the token, the credentials and a signature of its body [a2a.push-headers]", async () => {
    const receiver = await receive();
    const agents = { helper: scriptedAgent([{ text: "A." }, { text: "B." }]) };
    const { served } = await serveWith([receiver], { agents, baseUrl: "https://agents.example" });
    const authentication = { schemes: ["Basic"], credentials: "s3cret" };
    await served.call("message/send", {
      ...message0("Hi"),
      ...notify0(receiver.url, { token: "t0ken", authentication }),
    });
    const [first] = await receiver.until(2);
    await served.call("message/send", { ...message0("Hi"), ...notify0(receiver.url) });
    const [, , second] = await receiver.until(4);

    expect(first?.headers).toMatchObject({ "x-a2a-notification-token": "t0ken", authorization: "Basic s3cret" });
    expect(second?.headers["x-a2a-notification-token"]).toBeUndefined();
    // Without credentials of its own, the scheme that examples of A2A have.
    expect(second?.headers.authorization).toBe(`Bearer ${String(second?.headers["x-a2a-notification-signature"])}`);
  });

  it.each([
    ["a key of its own", () => undefined],
    ["RSA", () => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey],
    ["EC", () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey],
    [
      "Ed25519 in PEM",
      () => generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }) as string,
    ],
  ])("is signed with %s, so that its receiver knows sender, body and time [a2a.push-signed]", async (_, makeKey) => {
    const receiver = await receive();
    const options = { agents: { helper: scriptedAgent([{ text: "A." }]) }, baseUrl: "https://agents.example/api/" };
    const { served } = await serveWith([receiver], options, { signingKey: makeKey() });
    const { result } = await served.call("message/send", { ...message0("Hi"), ...notify0(receiver.url) });
    const [first, second] = await receiver.until(2);
    if (first === undefined || second === undefined) throw new Error("There are two.");

    const keysUrl = `${served.url}/.well-known/jwks.json`;
    const claims = await verifyNotification(first, keysUrl);
    expect(claims).toMatchObject({ iss: "https://agents.example/api/", aud: receiver.url, taskId: result.id });
    expect(Math.abs(Number(claims["iat"]) - Date.now() / 1000)).toBeLessThan(120);
    expect(Number(claims["exp"]) - Number(claims["iat"])).toBe(300);
    expect((await verifyNotification(second, keysUrl))["jti"]).not.toBe(claims["jti"]);
    await expect(verifyNotification({ ...first, text: `${first.text} ` }, keysUrl)).rejects.toThrow("another one");
    const keys = await (await fetch(keysUrl)).text();
    expect(keys).not.toMatch(/"d":|"p":|"q":/);
  });

  it("is sent again to a receiver that fails, the same one until it succeeds, in order [a2a.push-retried]", async () => {
    const answers = [503, false, { status: 429, headers: { "retry-after": "0" } }, 200] as const;
    const receiver = await receive((index) => answers[index] ?? 204);
    const { served, lines } = await serveWith([receiver], { agents: { helper: scriptedAgent([{ text: "A." }]) } });
    await served.call("message/send", { ...message0("Hi"), ...notify0(receiver.url) });
    const notified = await receiver.until(5);
    expect(notified.map(({ body }) => body.status.state)).toEqual([...Array<string>(4).fill("working"), "completed"]);
    const ids = notified.map((each) => tokenOf(each)["jti"]);
    expect(new Set(ids).size).toBe(2);
    expect(lines).toEqual([]);
  });

  it("is given up after some attempts, or at once where it is refused; the next ones go on [a2a.push-given-up]", async () => {
    const down = await receive((index) => (index < 3 ? 500 : 204));
    const strict = await receive((index) => (index < 1 ? 403 : 204));
    const moved = await receive(() => ({ status: 307, headers: { location: strict.url } }));
    const { agent, release } = heldAgent();
    const receivers = [down, strict, moved];
    const { served, lines } = await serveWith(receivers, { agents: { helper: agent } }, { maxAttempts: 3 });
    const send = {
      ...message1("Hi"),
      configuration: {
        returnImmediately: true,
        taskPushNotificationConfig: { url: `${down.url}?key=s3cret`, token: "t0ken" },
      },
    };
    const { result } = await served.call("SendMessage", send);
    await untilState(served, result.task.id, "working");
    for (const { url } of [strict, moved]) {
      await served.call("CreateTaskPushNotificationConfig", { taskId: result.task.id, url });
    }
    release();
    // Three attempts at the first one, and then the two of the end.
    await down.until(5);
    await strict.until(2);
    await moved.until(2);
    expect(down.notified.at(-1)?.body.statusUpdate.status.state).toBe("TASK_STATE_COMPLETED");
    while (lines.length < 4) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(strict.notified).toHaveLength(2);
    const logged = lines.join("\n");
    expect(logged).toContain("status 500");
    expect(logged).toContain("status 403");
    expect(logged).toContain("redirected");
    expect(logged).not.toMatch(/s3cret|t0ken|hook/);
  });

  it("ends with the receiver that answers 410, and with a config that is deleted or replaced [a2a.push-ends]", async () => {
    const gone = await receive(() => 410);
    const [before, after, deleted] = [await receive(), await receive(), await receive()];
    const { agent, release } = heldAgent();
    const { served } = await serveWith([gone, before, after, deleted], { agents: { helper: agent } });
    const send = {
      ...message0("Hi"),
      configuration: { blocking: false, pushNotificationConfig: { url: gone.url, id: "gone" } },
    };
    const { result } = await served.call("message/send", send);
    await gone.until(1);
    await untilState(served, result.id, "working");
    const set = async (id: string, url: string) =>
      await served.call("tasks/pushNotificationConfig/set", { taskId: result.id, pushNotificationConfig: { id, url } });
    await set("a", before.url);
    await set("a", after.url);
    await set("b", deleted.url);
    await served.call("tasks/pushNotificationConfig/delete", { id: result.id, pushNotificationConfigId: "b" });
    release();
    await after.until(1);
    await untilState(served, result.id, "completed");
    expect([gone, before, after, deleted].map(({ notified }) => notified.length)).toEqual([1, 0, 1, 0]);
  });

  it("a push notification to a receiver that never answers holds up neither the run nor other receivers [a2a.push-apart]", async () => {
    const never = Promise.withResolvers<number>();
    onTestFinished(() => never.resolve(204));
    const slow = await receive(() => never.promise);
    const fast = await receive();
    const agents = { helper: scriptedAgent([{ text: "A." }]) };
    const { served } = await serveWith([slow, fast], { agents });
    const config = { pushNotificationConfig: { url: slow.url } };
    const held = await served.call("message/send", { ...message0("Hi"), configuration: config });
    expect(held.result.status.state).toBe("completed");
    await slow.until(1);
    const { agent, release } = heldAgent();
    release();
    const other = await serveWith([slow, fast], { agents: { helper: agent } });
    const { result } = await other.served.call("message/send", { ...message0("Hi"), ...notify0(fast.url) });
    expect((await fast.until(2)).at(-1)?.body).toMatchObject({ id: result.id, status: { state: "completed" } });
    expect(slow.notified).toHaveLength(1);
  });

  it("is one of no more than four at a time to one host, however many wait [a2a.push-apart]", async () => {
    let [most, sending] = [0, 0];
    const receiver = await receive(async () => {
      most = Math.max(most, ++sending);
      await letRun();
      sending -= 1;
      return 204;
    });
    const agents = { helper: scriptedAgent(Array.from({ length: 8 }, () => ({ text: "A." }))) };
    const { served } = await serveWith([receiver], { agents });
    const asks = Array.from({ length: 8 }, async () => {
      await served.call("message/send", { ...message0("Hi"), ...notify0(receiver.url) });
    });
    await Promise.all(asks);
    await receiver.until(16);
    expect(most).toBeLessThanOrEqual(4);
  });
});

describe("a shutdown", () => {
  it("waits for the notifications of tasks in memory, and ends those that cannot be delivered [a2a.push-shutdown]", async () => {
    const gate = Promise.withResolvers<number>();
    const receiver = await receive(() => gate.promise);
    const { served } = await serveWith([receiver], { agents: { helper: scriptedAgent([{ text: "A." }]) } });
    const { result } = await served.call("message/send", { ...message0("Hi"), ...notify0(receiver.url) });
    expect(result.status.state).toBe("completed");
    await receiver.until(1);
    let isClosed = false;
    const closing = served.service.close().then(() => (isClosed = true));
    await letRun();
    expect(isClosed).toBe(false);
    gate.resolve(204);
    await closing;
    expect(receiver.notified.map(({ body }) => body.status.state)).toEqual(["working", "completed"]);
  });

  it("hands the notifications of durable tasks back, for another process at once [a2a.push-shutdown]", async () => {
    let isUp = false;
    const receiver = await receive(() => (isUp ? 204 : 503));
    const storage = new InMemoryStorage();
    const agents = { helper: scriptedAgent([{ text: "A." }], { storage }) };
    const first = new RunService({ storage, agents });
    await first.serve();
    const { served } = await serveWith([receiver], { agents, runs: first });
    await served.call("message/send", { ...message0("Hi"), ...notify0(receiver.url) });
    await receiver.until(2);
    await served.service.close();
    await first.close();
    const count = receiver.notified.length;
    isUp = true;

    const second = new RunService({ storage, agents });
    onTestFinished(async () => await second.close());
    await serveWith([receiver], { agents, runs: second });
    const states = (await receiver.until(count + 2)).slice(count).map(({ body }) => body.status.state);
    expect(states).toEqual(["working", "completed"]);
  });
});
