// Prints how many milliseconds of processor time it takes to import what the argument names, once the loader itself is warm.
await import("./empty.js?first");
const before = process.cpuUsage();
await import(process.argv[2] ?? "");
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
