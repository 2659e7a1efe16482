// The version of orderly, the same as in package.json (a test compares them).
export const version = '1.1.0-dev';
