import { expect, it } from "vitest";
import { Workflow } from "./workflow.ts";

it("a workflow refuses messages, which it has no use for [run-opts.messages-workflow]", async () => {
  const workflow = new Workflow({ name: "w", initialState: {}, steps: [{ name: "one", run: () => ({}) }] });
  const refusal = { code: "invalid_request", message: expect.stringContaining("messages must be left out") as string };

  for (const messages of [[{ role: "user" as const, content: "Hi." }], []]) {
    await expect(workflow.run({ messages })).rejects.toMatchObject(refusal);
    expect(() => workflow.stream({ messages })).toThrow(expect.objectContaining(refusal));
    await expect(workflow.asRunnable().run("x", { messages })).rejects.toMatchObject(refusal);
    expect(() => workflow.asRunnable().stream("x", { messages })).toThrow(expect.objectContaining(refusal));
  }
});
