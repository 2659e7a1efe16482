# `sh src/node.sh FILE…` runs a program on the Node that `npm install` brought, or else on the machine's own. npm's own
# link to it, `node_modules/.bin/node`, is missing with npm 8 to 11.3, which remove it with the packages of other
# platforms (npm/cli#4362).
for node in node_modules/node-*/bin/node; do
  if [ -e "$node" ]; then exec "$node" "$@"; fi
done
exec "${npm_node_execpath:-node}" "$@"
