import { cutText } from "@troupe/core/kit";

const longestName = 64;
const hashLength = 8;

/**
 * Names the tools of an MCP server in a form that every vendor allows: `server__tool`, with `_` for other characters,
 * shortened to 64 characters. A shortened or ambiguous name ends with a hash of the tool's own name. If two tools would
 * get the same name, a tool whose own name needed no change keeps it. Returns the names in the order of the tools.
 */
export function nameTools(server: string, tools: readonly string[]): string[] {
  const wanted = tools.map((tool) => ({ tool, full: `${server}__${tool}` }));
  const unchanged = new Set(wanted.filter(({ full }) => toLegal(full) === full).map(({ full }) => full));
  const taken = new Set<string>(unchanged);
  return wanted.map(({ full }) => {
    if (unchanged.has(full)) return full;
    const legal = toLegal(full);
    let name = full.length > longestName || taken.has(legal) ? withHash(legal, full) : legal;
    for (let attempt = 2; taken.has(name); attempt++) name = withHash(legal, `${full}\n${attempt}`);
    taken.add(name);
    return name;
  });
}

function toLegal(name: string): string {
  const legal = name.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  return cutText(/^[A-Za-z_]/.test(legal) ? legal : `_${legal}`, longestName);
}

function withHash(legal: string, full: string): string {
  // `node:crypto` is not imported, because an import would delay the start of every program that uses the package.
  const hash = process.getBuiltinModule("node:crypto").hash("sha256", full).slice(0, hashLength);
  return `${cutText(legal, longestName - hashLength - 1)}_${hash}`;
}
