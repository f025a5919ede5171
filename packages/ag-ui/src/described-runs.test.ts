import { validate } from "@readme/openapi-parser";
import { Agent, Workflow } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { describe, expect, it, onTestFinished } from "vitest";
import { agUi } from "./index.ts";

const helper = () => new Agent({ name: "helper", model: new ScriptedModel().respond(() => "Hi.") });
const workflow = () => new Workflow({ name: "w", initialState: {}, steps: [{ name: "s", agent: helper() }] });

type Operation = { readonly operationId: string; readonly tags: string[]; readonly responses: object };
type Document = {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly tags: readonly { readonly name: string }[];
};

/** Returns the OpenAPI document of a service with names that differ in little. */
async function describeService(): Promise<Document> {
  const agents = { "a b ü": helper(), "a-b": helper(), "a.b": helper(), a_b: helper() };
  const service = createService({ agents, teams: { t: helper() }, workflows: { w: workflow() } });
  const { url } = await serve(service, [http({ swagger: {} }), agUi()], { port: 0 });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  return (await (await fetch(`${url}/docs/spec.json`, { headers: { connection: "close" } })).json()) as Document;
}

describe("the OpenAPI document of a service that speaks AG-UI", () => {
  it("is valid, and has a path for each agent, team and workflow, each with an id of its own [ag-ui.run]", async () => {
    const document = await describeService();
    const checked = await validate(structuredClone(document) as unknown as Parameters<typeof validate>[0]);
    expect(checked.valid, JSON.stringify(checked)).toBe(true);

    const paths = Object.entries(document.paths).filter(([path]) => path.startsWith("/agui/"));
    expect(paths.map(([path, item]) => `${Object.keys(item).join()} ${path}`)).toEqual([
      "post /agui/agents/a%20b%20%C3%BC",
      "post /agui/agents/a-b",
      "post /agui/agents/a.b",
      "post /agui/agents/a_b",
      "post /agui/teams/t",
      "post /agui/workflows/w",
    ]);
    const ids = Object.values(document.paths).flatMap((item) => Object.values(item).map((each) => each.operationId));
    expect(new Set(ids).size).toBe(ids.length);
    const tags = document.tags.map(({ name }) => name);
    for (const [, { post }] of paths) expect(tags).toEqual(expect.arrayContaining(post?.tags ?? ["none"]));
  });

  it("describes each answer as a stream, and what a workflow reads of the state", async () => {
    const document = JSON.parse(JSON.stringify(await describeService())) as {
      paths: Record<string, { post: { responses: { 200: { content?: object } }; requestBody: { content: object } } }>;
    };
    const posts = Object.entries(document.paths).flatMap(([path, { post }]) =>
      path.startsWith("/agui/") ? [post] : [],
    );
    for (const { responses } of posts) expect(Object.keys(responses[200].content ?? {})).toEqual(["text/event-stream"]);

    const body = JSON.stringify(document.paths["/agui/workflows/w"]?.post.requestBody);
    expect(body).toContain("The keys that the state of the workflow begins with");
  });

  it("refers to what the document has, with the errors of a client", async () => {
    const document = await describeService();
    const json = JSON.stringify(document);
    const refs = [...json.matchAll(/"#\/components\/([^"]+)"/g)].map(([, place = ""]) => place.split("/"));
    const { components } = document as unknown as { components: Record<string, object> };

    for (const [kind = "", name = ""] of refs) expect(components[kind], `${kind}/${name}`).toHaveProperty([name]);
    const post = document.paths["/agui/teams/t"]?.["post"];
    for (const status of ["200", "400", "409", "422", "503", "default"])
      expect(post?.responses).toHaveProperty([status]);
  });
});
