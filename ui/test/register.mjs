// Lets node run the TypeScript of the app in unit tests: esbuild strips the types.
import { register } from "node:module";
register("./loader.mjs", import.meta.url);
