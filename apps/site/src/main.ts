import { join } from "node:path";
import { buildSite } from "./build-site.ts";

/**
 * `pnpm site [base] [folder]`: builds the site into `apps/site/dist` or the folder, to be served at the path `base`.
 */
const [base = "/", folder = join(import.meta.dirname, "../dist")] = process.argv.slice(2);
const { pages } = await buildSite({ folder, base });
process.stdout.write(`${pages} pages in ${folder}\n`);
