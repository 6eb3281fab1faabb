# Leaves traps where artifacts are collected. Control: only the two plain files.
mkdir -p out/sub && cd out || exit 1
echo plain >plain.txt
echo nested >sub/nested.txt
[ "$1" = hostile ] || exit 0
ln -s /etc/passwd absolute-link
ln -s ../../../etc/passwd climbing-link
ln -s / root-link
mkfifo pipe
mknod device b 253 0
mknod zero c 1 5
echo twin >twin.txt
echo TWIN >TWIN.TXT
echo control >"$(printf 'bell\007name')"
echo backslash >'..\..\windows'
echo colon >'c:drive'
mkdir -p "$(printf 'd/%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35)"
echo deep >"$(printf 'd/%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35)deep.txt"
# Sparse: costs the guest nothing, and would cost the host all that it has.
dd if=/dev/zero of=huge bs=1 count=1 seek=7000000000 2>/dev/null
chmod 4755 plain.txt
