// Has orval make a client for the service at SERVICE_URL: its functions know one address.
import { join } from "node:path";

const here = (path) => join(process.cwd(), path);
const output = { target: here("orval/client.ts"), client: "fetch", baseUrl: process.env.SERVICE_URL };

export default { service: { input: here("spec.json"), output } };
