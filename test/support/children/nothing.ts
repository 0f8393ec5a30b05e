/** Shows that this user can run TypeScript from this folder. */
console.log("nothing");
