export function isPm2Name(name: string): boolean {
  return /^(?:ecosystem|pm2|process)[\w.-]*$/i.test(name) && /\.(?:json[5c]?|ya?ml|config\.[cm]?js)$/i.test(name);
}
