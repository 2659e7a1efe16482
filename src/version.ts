// The version of orderly, as package.json has it (a test compares them).
export const version = '1.0.0';
