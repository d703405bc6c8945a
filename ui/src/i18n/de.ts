// Apart from the JSON, so that the bundler does not export every text by itself.
import german from "./de.json";
export default german;
