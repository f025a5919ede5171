import { describe, expect, it } from "vitest";
import { until } from "../../test/fake-remote.ts";
import { sdkServers, serveSdk } from "../../test/serve-sdk.ts";
import { A2ARemoteAgent } from "./remote-agent.ts";

/** The names of the calls at each server. */
const names = {
  "0.2.5": ["message/send", "message/stream", "tasks/get", "tasks/cancel", "tasks/resubscribe"],
  "0.3.14": ["message/send", "message/stream", "tasks/get", "tasks/cancel", "tasks/resubscribe"],
  "1.3.0": ["SendMessage", "SendStreamingMessage", "GetTask", "CancelTask", "SubscribeToTask"],
  "1.3.0 HTTP+JSON": [
    "POST /rest/message:send",
    "POST /rest/message:stream",
    "GET /rest/tasks/…",
    "POST /rest/tasks/…:cancel",
    "POST /rest/tasks/…:subscribe",
  ],
  "1.3.0 as 0.3": ["message/send", "message/stream", "tasks/get", "tasks/cancel", "tasks/resubscribe"],
} as const;

describe.each(sdkServers)("a server of the official SDK %s", (version) => {
  const [send, stream, get, cancel, subscribe] = names[version];

  it("is sent a message and asked for its task until that is over [remote.sdk-servers]", async () => {
    const served = await serveSdk(version, false);
    const running = new A2ARemoteAgent({ url: served.url }).run("Go.");
    await Promise.race([until(() => served.methods.includes(get)), running]);
    served.release();

    expect((await running).text).toBe("Half done.");
    expect(served.methods[0]).toBe(send);
    expect(new Set(served.methods)).toEqual(new Set([send, get]));
  });

  it("streams its answer [remote.sdk-servers]", async () => {
    const served = await serveSdk(version, true);
    const texts: string[] = [];
    for await (const chunk of new A2ARemoteAgent({ url: served.url }).stream("Go.")) {
      if (chunk.type !== "text") continue;
      texts.push(chunk.text);
      served.release();
    }

    expect(texts).toEqual(["Half ", "done."]);
    expect(served.methods).toEqual([stream]);
  });

  it("cancels its task with the run [remote.sdk-servers]", async () => {
    const served = await serveSdk(version, true);
    const running = new A2ARemoteAgent({ url: served.url }).stream("Go.");
    for await (const chunk of running) if (chunk.type === "text") break;

    await expect(running.output).rejects.toMatchObject({ code: "cancelled", output: { text: "Half " } });
    expect(served.cancels).toBe(1);
    expect(served.methods).toEqual([stream, cancel]);
  });

  it("is followed again after its stream has broken off [remote.sdk-servers]", async () => {
    const served = await serveSdk(version, true);
    served.cutNextStream();
    const running = new A2ARemoteAgent({ url: served.url }).run("Go.");
    await Promise.race([until(() => served.methods.includes(subscribe)), running]);
    served.release();

    expect((await running).text).toBe("Half done.");
    expect(served.methods.slice(0, 2)).toEqual([stream, subscribe]);
  });
});
