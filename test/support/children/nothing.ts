/** Shows that this user can run TypeScript in this folder. */
console.log("nothing");
