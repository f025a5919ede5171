import assert from "node:assert/strict";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createService, serve } from "@troupe/core/service";
import { http } from "@troupe/http";
import { page } from "@troupe/page";

const helper = new Agent({ name: "helper", model: new ScriptedModel("Take an umbrella.") });
const port = 0;

// #region readme
const service = createService({ agents: { helper } });
const suggestions = { helper: ["What should I take along to Oslo?"] };
const { url } = await serve(service, [http({ fileUpload: true }), page({ suggestions })], { port });
// #endregion

const shown = await (await fetch(url)).text();
const script = /<script type="module" src="([^"]+)"/.exec(shown)?.[1] ?? "";
const response = await fetch(new URL(script, `${url}/`));
await service.close();

assert.equal(response.status, 200);
